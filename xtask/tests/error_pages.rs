//! Every error code has a page in docs/errors, and every page a code.

#[path = "support/errors.rs"]
mod errors;
#[path = "support/sources.rs"]
mod sources;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use errors::PAGES;

const HEADINGS: [&str; 2] = ["## What happened", "## What to do"];

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let root = support::root();
    let codes = errors::codes(&root).into_keys().collect();
    let complaints = complaints(&codes, &errors::pages(&root));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn complaints(codes: &BTreeSet<String>, pages: &BTreeMap<String, String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for code in codes.iter().filter(|code| !pages.contains_key(*code)) {
        complaints.push(format!("{code} has no page: write {PAGES}{code}.md"));
    }
    for (code, text) in pages {
        if !codes.contains(code) {
            complaints.push(format!("{PAGES}{code}.md is about no code: remove it"));
        }
        if text.lines().next() != Some(&format!("# {code}")) {
            complaints.push(format!("{PAGES}{code}.md must start with `# {code}`"));
        }
        for heading in HEADINGS.iter().filter(|heading| !text.lines().any(|line| line == **heading))
        {
            complaints.push(format!("{PAGES}{code}.md has no heading `{heading}`"));
        }
    }
    complaints
}

#[cfg(test)]
mod checker {
    use super::*;

    #[test]
    fn a_missing_a_stale_and_a_bare_page_are_named() {
        let codes = BTreeSet::from(["ONE".to_owned(), "TWO".to_owned()]);
        let good = "# ONE\n\n## What happened\n\n## What to do\n".to_owned();
        let pages = [("ONE", good), ("OLD", "# OTHER\n".to_owned())];
        let pages = pages.map(|(code, text)| (code.to_owned(), text)).into();
        let text = complaints(&codes, &pages).join("\n");
        assert!(text.contains("TWO has no page: write docs/errors/TWO.md"), "{text}");
        assert!(text.contains("OLD.md is about no code"), "{text}");
        assert!(text.contains("must start with `# OLD`"), "{text}");
        assert!(text.contains("OLD.md has no heading `## What to do`"), "{text}");
        assert!(!text.contains("ONE.md"), "{text}");
    }
}
