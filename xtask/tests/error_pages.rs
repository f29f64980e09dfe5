//! Every error code has a page in docs/errors, and every page a code.

#[path = "support/sources.rs"]
mod sources;
mod support;

use std::collections::BTreeSet;

const PAGES: &str = "docs/errors/";
const HEADINGS: [&str; 2] = ["## What happened", "## What to do"];

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let root = support::root();
    let files = sources::tracked(&root);
    let read = |file: &str| sources::read(&root, file).unwrap_or_default();
    let codes: BTreeSet<String> = files
        .iter()
        .filter(|file| is_crate_source(file))
        .flat_map(|file| codes_in(&read(file)))
        .collect();
    let pages: Vec<(String, String)> = files
        .iter()
        .filter_map(|file| Some((file, file.strip_prefix(PAGES)?.strip_suffix(".md")?)))
        // An index of the pages is no page.
        .filter(|(_, code)| *code != "README")
        .map(|(file, code)| (code.to_owned(), read(file)))
        .collect();
    let complaints = complaints(&codes, &pages);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Whether a file is in the `src` of a crate.
fn is_crate_source(file: &str) -> bool {
    let mut parts = file.split('/');
    file.ends_with(".rs") && parts.next() == Some("crates") && parts.nth(1) == Some("src")
}

/// The literals of `Code::new("…")`, also when the formatter broke the line.
fn codes_in(source: &str) -> Vec<String> {
    let call = "Code::new(";
    source
        .match_indices(call)
        .filter(|(at, _)| !source[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .filter_map(|(at, _)| {
            let literal = source[at + call.len()..].trim_start().strip_prefix('"')?;
            literal.split_once('"').map(|(code, _)| code.to_owned())
        })
        .collect()
}

fn complaints(codes: &BTreeSet<String>, pages: &[(String, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for code in codes.iter().filter(|code| !pages.iter().any(|(page, _)| page == *code)) {
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
    fn codes_are_found_in_sources_of_crates() {
        let source = "const A: Code = Code::new(\"DIPMO-1\");\nCode::new(\n    \"DIPMO-2\",\n)";
        assert_eq!(codes_in(source), ["DIPMO-1", "DIPMO-2"]);
        assert!(codes_in("EventCode::new(\"X\")").is_empty());
        assert!(is_crate_source("crates/dipmo-inbox/src/error.rs"));
        assert!(!is_crate_source("crates/dipmo-inbox/tests/error.rs"));
        assert!(!is_crate_source("xtask/src/main.rs"));
    }

    #[test]
    fn a_missing_a_stale_and_a_bare_page_are_named() {
        let codes = BTreeSet::from(["ONE".to_owned(), "TWO".to_owned()]);
        let good = "# ONE\n\n## What happened\n\n## What to do\n".to_owned();
        let pages = [("ONE".to_owned(), good), ("OLD".to_owned(), "# OTHER\n".to_owned())];
        let text = complaints(&codes, &pages).join("\n");
        assert!(text.contains("TWO has no page: write docs/errors/TWO.md"), "{text}");
        assert!(text.contains("OLD.md is about no code"), "{text}");
        assert!(text.contains("must start with `# OLD`"), "{text}");
        assert!(text.contains("OLD.md has no heading `## What to do`"), "{text}");
        assert!(!text.contains("ONE.md"), "{text}");
    }
}
