//! JSON pointers, as RFC 6901 writes them.

/// What is wrong with a pointer, if anything is.
pub(super) fn problem(pointer: &str) -> Option<String> {
    let well_formed = pointer.is_empty() || pointer.starts_with('/');
    (!well_formed).then(|| format!("{pointer:?} is no JSON pointer: it begins with '/'"))
}
