//! `docs/reference/errors.md` lists the error pages, each with its first sentence and the crate that says it.

use std::collections::BTreeMap;

use crate::anchors::plain;
use crate::{assert_is, errors, support};

const INDEX: &str = "docs/reference/errors.md";
const HEAD: &str = "# Error codes

<!-- Made of docs/errors and the sources: DIPMO_RENEW=1 cargo test -p xtask --test book -->

What a person has to deal with has a code: in what a command prints, in log lines (`code`), in ERROR_CODE of a row, in
what health says. Each code has a page that says what happened and what to do. Codes that are not here come from your own
process, or from Salesforce.

| code | what happened | from |
|---|---|---|
";

#[test]
fn the_index_of_errors_is_made_of_their_pages() {
    let root = support::root();
    assert_is(&root, INDEX, &index(&errors::pages(&root), &errors::codes(&root)));
}

fn index(pages: &BTreeMap<String, String>, crates: &BTreeMap<String, String>) -> String {
    let row = |(code, page): (&String, &String)| {
        let from = crates.get(code).map(String::as_str).unwrap_or_default();
        let happened = first_sentence(page).replace('|', "\\|");
        format!("| [{code}](../errors/{code}.md) | {happened} | `{from}` |\n")
    };
    HEAD.to_owned() + &pages.iter().map(row).collect::<String>()
}

/// The first sentence of what happened, without its links.
fn first_sentence(page: &str) -> String {
    let after = page.split_once("## What happened\n").map(|(_, after)| after.trim_start());
    let paragraph = after.unwrap_or_default().split("\n\n").next().unwrap_or_default();
    let paragraph = paragraph.replace('\n', " ");
    let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
    plain(&paragraph[..end])
}

#[test]
fn an_entry_is_the_first_sentence() {
    let page =
        "# x\n\n## What happened\n\nIt [broke](a.md)\nat 1.5 s. Then\nmore.\n\n## What to do\n";
    let pages = [("x".to_owned(), page.to_owned())].into();
    let crates = [("x".to_owned(), "dipmo-y".to_owned())].into();
    let last = "| [x](../errors/x.md) | It broke at 1.5 s. | `dipmo-y` |\n";
    assert!(index(&pages, &crates).ends_with(last));
}
