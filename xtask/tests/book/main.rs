//! The documentation holds together: nothing is left out of the book, every link leads somewhere, and what is made of
//! other files is as they are.

#[path = "../support/errors.rs"]
mod errors;
#[path = "../../src/book/links.rs"]
mod links;
#[path = "../support/sources.rs"]
mod sources;
#[path = "../../src/book/summary.rs"]
mod summary;
#[path = "../support/mod.rs"]
mod support;

mod anchors;
mod contents;
mod error_index;
mod figures;
mod leading;

use std::path::Path;

/// Compares a file with what it must be. With `DIPMO_RENEW` it is written anew.
#[track_caller]
fn assert_is(root: &Path, file: &str, now: &str) {
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(root.join(file), now).expect("the file can be written");
    }
    let written = sources::read(root, file).unwrap_or_default();
    assert!(
        written == now,
        "{file} is old: `DIPMO_RENEW=1 cargo test -p xtask --test book` renews it"
    );
}
