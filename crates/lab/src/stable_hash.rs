//! A hash that is the same on every machine and in every version: ids and seeds are made of it.

/// One number for a list of texts; other lists give other numbers, as far as can be told.
pub(crate) fn stable_hash<'a>(texts: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>) -> u64 {
    // FNV-1a, then the finaliser of SplitMix64, since FNV leaves the upper bits of short texts
    // alike.
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    for text in texts {
        let text = text.as_ref().as_bytes();
        (text.len() as u64).to_le_bytes().into_iter().for_each(&mut add);
        text.iter().copied().for_each(&mut add);
    }
    hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_texts_end_matters() {
        assert_ne!(stable_hash(["ab", "c"]), stable_hash(["a", "bc"]));
        assert_ne!(stable_hash(["a"]), stable_hash(["a", ""]));
        assert_eq!(stable_hash(["a", "b"]), stable_hash(["a", "b"]));
    }
}
