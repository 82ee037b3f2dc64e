//! Room for arrays that never have to be moved.
//!
//! An array that grows beyond its capacity is copied: hundreds of milliseconds for a large tree, in
//! the middle of a search with a deadline. So a search with a deadline reserves address space for
//! all the memory that it may use in every array. The system gives memory to the parts that are
//! written, so this costs nothing until then. Where address space is limited, arrays grow as usual.

use super::tree::Tree;

/// Bytes of an array: what is written if its room is reserved, otherwise what is allocated.
pub(super) fn bytes_of<T>(list: &Vec<T>, reserved: bool) -> usize {
    (if reserved { list.len() } else { list.capacity() }) * size_of::<T>()
}

/// Reserves room for this many bytes. False if the system refuses.
pub(super) fn reserve_bytes<T>(list: &mut Vec<T>, bytes: usize) -> bool {
    let wanted = bytes / size_of::<T>().max(1);
    wanted <= list.capacity() || list.try_reserve_exact(wanted - list.len()).is_ok()
}

impl Tree {
    /// Reserves room for a tree of this many bytes in every array, if it is not there yet.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        if self.reserved < bytes {
            self.reserved = if self.reserve_arrays(bytes) { bytes } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_arrays_stay_where_they_are() {
        let mut list: Vec<u64> = vec![1, 2, 3];
        assert!(reserve_bytes(&mut list, 8000));
        let at = list.as_ptr();
        list.extend(0..900);
        assert_eq!((list.as_ptr(), bytes_of(&list, true)), (at, 903 * 8));
        assert!(bytes_of(&list, false) >= 8000);
        assert!(!reserve_bytes(&mut list, usize::MAX / 2), "more than there is");
        assert_eq!(list.len(), 903, "nothing is lost");
    }

    #[test]
    fn only_what_is_written_counts() {
        let mut tree = Tree::new(2).with_proofs();
        tree.reserve(1 << 20);
        assert_eq!((tree.reserved, tree.bytes()), (1 << 20, 0));
        tree.add_pending(0);
        assert!((1..200).contains(&tree.bytes()), "{}", tree.bytes());
    }
}
