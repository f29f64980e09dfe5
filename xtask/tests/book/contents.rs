//! The table of contents has every page, and each of them once.

use std::collections::BTreeSet;

use crate::summary::{SUMMARY, pages};
use crate::{assert_is, errors, sources, support};

#[test]
fn every_page_is_in_the_table_of_contents_and_every_entry_is_a_page() {
    let root = support::root();
    let listed = pages(&sources::read(&root, SUMMARY).unwrap_or_default());
    let complaints = complaints(&listed, &sources::tracked(&root));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_error_page_stands_below_the_index() {
    let root = support::root();
    let summary = sources::read(&root, SUMMARY).unwrap_or_default();
    let codes: Vec<String> = errors::pages(&root).into_keys().collect();
    assert_is(&root, SUMMARY, &with_errors(&summary, &codes));
}

fn complaints(listed: &[String], files: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut met = BTreeSet::new();
    for page in listed {
        if !files.contains(page) {
            complaints.push(format!("{SUMMARY} names {page}, which is not there"));
        }
        if !met.insert(page) {
            complaints.push(format!("{SUMMARY} names {page} twice"));
        }
    }
    let is_page =
        |file: &&String| file.starts_with("docs/") && file.ends_with(".md") && *file != SUMMARY;
    for page in files.iter().filter(is_page).filter(|page| !met.contains(page)) {
        complaints.push(format!("{page} is not in {SUMMARY}: put it where a reader looks for it"));
    }
    complaints
}

/// The table of contents with these codes, and no others, below their index.
fn with_errors(summary: &str, codes: &[String]) -> String {
    let mut text = String::new();
    for line in summary.lines().filter(|line| !line.contains("](errors/")) {
        text.push_str(&format!("{line}\n"));
        if line.contains("](reference/errors.md)") {
            let indent = line.len() - line.trim_start().len() + 2;
            let entry = |code: &String| format!("{:indent$}- [{code}](errors/{code}.md)\n", "");
            text.extend(codes.iter().map(entry));
        }
    }
    text
}

#[test]
fn what_is_missing_double_or_gone_is_named() {
    let owned = |files: &[&str]| files.iter().map(|&file| file.to_owned()).collect::<Vec<_>>();
    let files = owned(&["README.md", "docs/a.md", "docs/b.md", SUMMARY, "docs/x.json"]);
    let found = complaints(&owned(&["README.md", "docs/a.md", "docs/a.md", "docs/c.md"]), &files);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("docs/a.md twice") && found[1].contains("docs/c.md, which"));
    assert!(found[2].starts_with("docs/b.md is not in"));
}

#[test]
fn codes_that_are_gone_leave_the_table() {
    let summary = "- [E](reference/errors.md)\n  - [old](errors/old.md)\n- [Z](z.md)\n";
    let now = with_errors(summary, &["new".to_owned()]);
    assert_eq!(now, "- [E](reference/errors.md)\n  - [new](errors/new.md)\n- [Z](z.md)\n");
}
