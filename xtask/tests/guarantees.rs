//! docs/guarantees.md names the tests that prove it: each of them is there.

#[path = "support/sources.rs"]
mod sources;
mod support;

use std::collections::BTreeSet;

const PAGE: &str = "docs/guarantees.md";
/// A test says in a sentence what it shows; no option has so many words.
const WORDS: usize = 4;

#[test]
fn every_test_that_a_guarantee_names_is_there() {
    let root = support::root();
    let page = sources::read(&root, PAGE).unwrap_or_default();
    let files = sources::tracked(&root);
    let rust = files.iter().filter(|file| file.ends_with(".rs"));
    let there: BTreeSet<String> = rust
        .filter_map(|file| sources::read(&root, file))
        .flat_map(|source| functions(&source))
        .collect();
    let named = tests_in(&page);
    assert!(named.len() > 10, "{PAGE} names its proofs: {named:?}");
    let missing: Vec<&str> = named.into_iter().filter(|name| !there.contains(*name)).collect();
    assert!(missing.is_empty(), "{PAGE} names tests that are not there: {missing:?}");
}

/// Names in backticks that are sentences.
fn tests_in(page: &str) -> Vec<&str> {
    let is_name = |text: &&str| {
        text.split('_').count() >= WORDS
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    page.split('`').skip(1).step_by(2).filter(is_name).collect()
}

fn functions(source: &str) -> Vec<String> {
    let after = source.split("fn ").skip(1);
    let names = after
        .map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect());
    names.collect()
}

#[test]
fn a_test_that_is_not_there_would_be_missed() {
    let page = "See `a_test_that_was_renamed` and `idle_in_transaction`.";
    assert_eq!(tests_in(page), ["a_test_that_was_renamed"]);
    assert_eq!(functions("async fn a_test_that_is_here() {}"), ["a_test_that_is_here"]);
}
