//! Error codes in the sources, and their pages.

use std::collections::BTreeMap;
use std::path::Path;

use crate::sources;

/// Where the pages are.
pub(crate) const PAGES: &str = "docs/errors/";

/// Every code, with the crate that makes it.
pub(crate) fn codes(root: &Path) -> BTreeMap<String, String> {
    let files = sources::tracked(root);
    let read = |file: &str| sources::read(root, file).unwrap_or_default();
    let of = |file: &String| {
        let name = crate_of(file)?.to_owned();
        Some(codes_in(&read(file)).into_iter().map(move |code| (code, name.clone())))
    };
    files.iter().filter_map(of).flatten().collect()
}

/// Every page, by its code.
pub(crate) fn pages(root: &Path) -> BTreeMap<String, String> {
    let files = sources::tracked(root);
    let pages = files.iter().filter_map(|file| {
        let code = file.strip_prefix(PAGES)?.strip_suffix(".md")?;
        Some((code.to_owned(), sources::read(root, file).unwrap_or_default()))
    });
    pages.collect()
}

/// The crate that a file is in the `src` of.
fn crate_of(file: &str) -> Option<&str> {
    let mut parts = file.split('/');
    let is_crate = file.ends_with(".rs") && parts.next() == Some("crates");
    let name = parts.next()?;
    (is_crate && parts.next() == Some("src")).then_some(name)
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

#[cfg(test)]
mod checker {
    use super::*;

    #[test]
    fn codes_are_found_in_sources_of_crates() {
        let source = "const A: Code = Code::new(\"DIPMO-1\");\nCode::new(\n    \"DIPMO-2\",\n)";
        assert_eq!(codes_in(source), ["DIPMO-1", "DIPMO-2"]);
        assert!(codes_in("EventCode::new(\"X\")").is_empty());
        assert_eq!(crate_of("crates/dipmo-inbox/src/error.rs"), Some("dipmo-inbox"));
        assert_eq!(crate_of("crates/dipmo-inbox/tests/error.rs"), None);
        assert_eq!(crate_of("xtask/src/main.rs"), None);
    }
}
