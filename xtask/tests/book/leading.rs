//! Every link of the documentation leads somewhere, in the repository and in the book.

use std::path::Path;

use crate::summary::{self, SUMMARY, from_root};
use crate::{anchors, links, sources, support};

#[test]
fn every_link_leads_somewhere() {
    let root = support::root();
    let book = summary::pages(&sources::read(&root, SUMMARY).unwrap_or_default());
    let files = sources::tracked(&root);
    let pages: Vec<&String> = files.iter().filter(|file| is_documentation(file)).collect();
    assert!(pages.len() > 100, "only {} pages were found", pages.len());
    let complaints: Vec<String> = pages
        .into_iter()
        .flat_map(|page| {
            complaints(&root, &book, page, &sources::read(&root, page).unwrap_or_default())
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn is_documentation(file: &str) -> bool {
    let top = !file.contains('/') || file.starts_with("docs/");
    file.ends_with(".md")
        && (top || (file.starts_with("examples/") && file.ends_with("/README.md")))
}

/// What is wrong with the links of a page; those to other sites are not looked at.
fn complaints(root: &Path, book: &[String], page: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for range in links::targets(text) {
        let (at, target) = (1 + text[..range.start].matches('\n').count(), &text[range]);
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        if let Some(problem) = problem(root, book, (page, text), target) {
            found.push(format!("{page}:{at}: [{target}] {problem}"));
        }
    }
    found
}

fn problem(
    root: &Path,
    book: &[String],
    (page, text): (&str, &str),
    target: &str,
) -> Option<String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { page.to_owned() } else { from_root(page, path) };
    let (there, is_in_book) = (root.join(&file), |page: &str| book.iter().any(|it| it == page));
    if file.starts_with("..") || !there.exists() {
        return Some(format!("{file} is not there"));
    }
    if there.is_dir() {
        let page_of = format!("{file}/README.md");
        let lacks = is_in_book(page) && !is_in_book(&page_of);
        return lacks.then(|| format!("the book has no {page_of}: link to a file"));
    }
    if !file.ends_with(".md") {
        return None;
    }
    if is_in_book(page) && !is_in_book(&file) {
        return Some(format!("the book has no {file}: put it into {SUMMARY}"));
    }
    let other = if path.is_empty() {
        text.to_owned()
    } else {
        sources::read(root, &file).unwrap_or_default()
    };
    let leads = anchor.is_empty() || anchors::of(&other).contains(anchor);
    (!leads).then(|| format!("{file} has no heading #{anchor}"))
}

#[test]
fn what_leads_nowhere_is_told_with_its_line() {
    let root = support::root();
    let book = ["README.md", "CONTRIBUTING.md"].map(str::to_owned);
    let text = "# Top\n[fine](#top) [fine](CONTRIBUTING.md#style) [fine](xtask/Cargo.toml) [fine](https://a.example)\n\
                [a](#bottom) [b](CONTRIBUTING.md#nothing) [c](nothing.md) [d](ARCHITECTURE.md) [e](xtask) [f](../x)";
    let found = complaints(&root, &book, "README.md", text);
    assert_eq!(found.len(), 6, "{found:#?}");
    assert!(found.iter().all(|it| it.starts_with("README.md:3: ")), "{found:#?}");
    let outside = complaints(&root, &[], "README.md", "[d](ARCHITECTURE.md) [e](xtask)");
    assert!(outside.is_empty(), "pages that are not in the book may link to anything: {outside:?}");
}
