//! Names that live as long as the program: a process that is declared has them where one in Rust has
//! literals.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Each name is kept once, however often a file is read.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The name, for ever.
pub(crate) fn intern(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let (one, same) = (intern("HIT_INTERNED"), intern(&["HIT", "INTERNED"].join("_")));
        assert!(std::ptr::eq(one, same));
    }
}
