//! Options that may be there: what is not said keeps its default.

use dipmo_config::Spanned;

/// Puts a value that was written in the place of a default.
pub(super) fn set<T, U: From<T>>(option: &mut U, written: Option<&Spanned<T>>)
where
    T: Copy,
{
    if let Some(written) = written {
        *option = U::from(written.value);
    }
}

/// A number as a size of memory.
pub(super) fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
