//! Conversions that cannot fail in practice.

/// A count or an index as a number of 32 bits; what does not fit becomes the largest.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
