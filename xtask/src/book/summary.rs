//! The table of contents, `docs/SUMMARY.md`: which pages the book has, in which order.

use super::links;

/// Where it is.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

/// The pages that a table of contents names, by their paths from the root of the workspace.
pub(crate) fn pages(summary: &str) -> Vec<String> {
    links::targets(summary).into_iter().map(|range| from_root(SUMMARY, &summary[range])).collect()
}

/// The path from the root of what a page links to by a relative path.
pub(crate) fn from_root(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            // Above the root nothing is ours: the rest is looked for there, and not found.
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_from_the_root() {
        let summary = "# Summary\n- [A](guide/a.md)\n  - [B](../README.md)\n";
        assert_eq!(pages(summary), ["docs/guide/a.md", "README.md"]);
        assert_eq!(from_root("docs/guide/a.md", "../../../x"), "../x");
        assert_eq!(from_root("README.md", "./docs/"), "docs");
    }
}
