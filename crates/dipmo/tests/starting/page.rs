//! A page of the guide that is true: its commands are run, its files are written and changed, and what the commands
//! print is what stands there. `DIPMO_RENEW=1` writes the prints anew.
//!
//! The comment just before a block says what to do with it; without one, only blocks in `console` are acted upon.
//!
//! | comment | the block |
//! |---|---|
//! | `write FILE` | is the file from now on |
//! | `append to FILE` | comes to its end |
//! | `change FILE` | is a change of it, as a diff |
//! | `numbers vary` | is in `console`, and its numbers are not compared: what is waited for is never the same twice |

use std::path::{Path, PathBuf};

/// Somebody who follows a page.
pub(crate) trait Reader {
    /// Where the files are that the page speaks of.
    fn folder(&self) -> PathBuf;
    /// Types a command, of one line or more, and says what is printed.
    fn types(&mut self, command: &str) -> String;
}

/// Follows a page of `docs/guide` and fails where something else is printed than it says.
pub(crate) fn follow(name: &str, reader: &mut impl Reader) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(name);
    let page = std::fs::read_to_string(&path).unwrap();
    let (mut renewed, mut order) = (String::new(), "");
    for (at, part) in page.split("```").enumerate() {
        renewed.push_str(if at > 0 { "```" } else { "" });
        if at % 2 == 0 {
            let last = part.trim_end().lines().last().unwrap_or_default();
            order = last.strip_prefix("<!-- ").and_then(|it| it.strip_suffix(" -->")).unwrap_or("");
            renewed.push_str(part);
            continue;
        }
        let (language, block) = part.split_once('\n').unwrap();
        let words: Vec<&str> = order.split(' ').collect();
        match (language, &words[..]) {
            ("console", [""]) => renewed.push_str(&console(block, false, reader)),
            ("console", ["numbers", "vary"]) => renewed.push_str(&console(block, true, reader)),
            _ => {
                files(language, &words, block, &reader.folder());
                renewed.push_str(part);
            }
        }
    }
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&path, &renewed).unwrap();
    } else if page != renewed {
        let (said, says, line) = first_difference(&page, &renewed);
        panic!("{name}:{line} says\n{said}\nand it is\n{says}\nDIPMO_RENEW=1 renews the page");
    }
}

/// The first lines that differ, and their number.
fn first_difference<'a>(page: &'a str, renewed: &'a str) -> (&'a str, &'a str, usize) {
    let (mut said, mut says) = (page.lines(), renewed.lines());
    let pairs = std::iter::from_fn(|| match (said.next(), says.next()) {
        (None, None) => None,
        (said, says) => Some((said.unwrap_or(""), says.unwrap_or(""))),
    });
    let different = pairs.zip(1..).find(|((said, says), _)| said != says);
    let ((said, says), line) = different.unwrap();
    (said, says, line)
}

/// Types the commands of a block, and gives the block with what they print.
fn console(block: &str, numbers_vary: bool, reader: &mut impl Reader) -> String {
    let mut renewed = "console\n".to_owned();
    let mut lines = block.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else { panic!("nobody typed {line:?}") };
        let mut command = vec![first];
        while let Some(more) = lines.peek().and_then(|line| line.strip_prefix("> ")) {
            command.push(more);
            lines.next();
        }
        let mut said = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            said.push_str(&format!("{line}\n"));
        }
        renewed.push_str(&format!("$ {}\n", command.join("\n> ")));
        let says = reader.types(&command.join("\n"));
        // No page keeps blanks at the end of a line, as columns have them.
        let says: String = says.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let is_same = numbers_vary && without_numbers(&said) == without_numbers(&says);
        renewed.push_str(if is_same { &said } else { &says });
    }
    renewed
}

/// Every number, with the blanks before it that put it into a column, as one sign.
fn without_numbers(text: &str) -> String {
    let mut rest = String::new();
    for sign in text.chars() {
        if sign.is_ascii_digit() {
            rest.truncate(rest.trim_end_matches([' ', '#']).len());
            rest.push('#');
        } else {
            rest.push(sign);
        }
    }
    rest
}

/// Does to a file what was said before the block.
fn files(language: &str, words: &[&str], block: &str, folder: &Path) {
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    match (language, words) {
        (_, [""]) => {}
        ("yaml", ["write", file]) => write(file, block),
        ("yaml", ["append", "to", file]) => write(file, &(read(file) + block)),
        ("diff", ["change", file]) => write(file, &changed(&read(file), file, block)),
        (language, words) => panic!("nobody knows what to do with {language}: {words:?}"),
    }
}

fn changed(text: &str, file: &str, diff: &str) -> String {
    let side = |without: char| -> String {
        let lines = diff.lines().filter(|line| !line.starts_with(without));
        lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
    };
    let (old, new) = (side('+'), side('-'));
    assert_eq!(text.matches(&old).count(), 1, "not once in {file}:\n{old}");
    text.replace(&old, &new)
}
