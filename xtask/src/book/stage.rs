//! The sources of the book: a copy of the pages and of what they link to, each at its own path.
//!
//! The pages link to files outside of `docs/`, so that they can be read where the repository is. Here all of them
//! lie below one folder, as in the repository, and the same links lead to the same things.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::links;
use super::summary::{self, SUMMARY};

/// What says how the book looks: in `docs/`, and above the pages.
const SETTINGS: [&str; 2] = ["book.toml", "book.css"];

/// Writes the sources of the book to an empty folder.
pub(crate) fn write(root: &Path, to: &Path) -> Result<()> {
    let summary = read(root, SUMMARY)?;
    for file in SETTINGS {
        put(to, file, read(root, &format!("docs/{file}"))?.as_bytes())?;
    }
    let to = &to.join("src");
    put(to, "SUMMARY.md", contents(&summary).as_bytes())?;
    for page in summary::pages(&summary) {
        let text = read(root, &page)?;
        put(to, &page, with_files(root, &page, &text).as_bytes())?;
        for range in links::targets(&text) {
            let file = summary::from_root(&page, path_of(&text[range]));
            // Pages are here already, or come; the book shows everything else as it is.
            if !file.ends_with(".md") && root.join(&file).is_file() {
                let bytes =
                    fs::read(root.join(&file)).with_context(|| format!("reading {file}"))?;
                put(to, &file, &bytes)?;
            }
        }
    }
    Ok(())
}

/// The table of contents, as it is above `docs/`.
fn contents(summary: &str) -> String {
    replaced(summary, |target| Some(summary::from_root(SUMMARY, target)))
}

/// A page whose links to folders lead to their README: a book has no page for a folder.
fn with_files(root: &Path, page: &str, text: &str) -> String {
    replaced(text, |target| {
        let folder = summary::from_root(page, path_of(target));
        let has_page = !target.contains(':') && root.join(&folder).join("README.md").is_file();
        (has_page && !path_of(target).is_empty())
            .then(|| format!("{}/README.md", target.trim_end_matches('/')))
    })
}

/// A link without its anchor.
fn path_of(target: &str) -> &str {
    target.split('#').next().unwrap_or_default()
}

fn replaced(text: &str, by: impl Fn(&str) -> Option<String>) -> String {
    let (mut new, mut done) = (String::with_capacity(text.len()), 0);
    for range in links::targets(text) {
        if let Some(target) = by(&text[range.clone()]) {
            new.push_str(&text[done..range.start]);
            new.push_str(&target);
            done = range.end;
        }
    }
    new + &text[done..]
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
}

fn put(to: &Path, file: &str, bytes: &[u8]) -> Result<()> {
    let path = to.join(file);
    let written =
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes));
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_what_they_link_to_keep_their_paths() {
        let (root, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (file, text) in [
            ("docs/book.toml", "[book]\n"),
            ("docs/book.css", ""),
            (SUMMARY, "# Summary\n\n- [A](a.md)\n- [X](../x/README.md)\n"),
            ("docs/a.md", "[x](../x) [file](../x/file.txt#L1) [out](https://a.example)"),
            ("x/README.md", "[a](../docs/a.md)"),
            ("x/file.txt", "text"),
            ("x/other.txt", "nobody links to it"),
        ] {
            put(root.path(), file, text.as_bytes()).unwrap();
        }
        write(root.path(), to.path()).unwrap();
        let staged = |file: &str| fs::read_to_string(to.path().join("src").join(file)).ok();
        assert_eq!(
            staged("SUMMARY.md").unwrap(),
            "# Summary\n\n- [A](docs/a.md)\n- [X](x/README.md)\n"
        );
        let page = "[x](../x/README.md) [file](../x/file.txt#L1) [out](https://a.example)";
        assert_eq!(staged("docs/a.md").unwrap(), page);
        assert_eq!(staged("x/file.txt").unwrap(), "text");
        assert_eq!(staged("x/other.txt"), None);
    }
}
