//! `docs/guide/first-pipeline.md` is true: its commands are run, its changes are made, and what the commands print
//! is what stands there. `DIPMO_RENEW=1 cargo test -p dipmo --test starting guide` writes the prints anew.

use std::path::{Path, PathBuf};

use crate::program::{Folder, dipmo, said};

/// Somebody who follows the guide.
struct Reader {
    home: Folder,
    folder: PathBuf,
}

impl Reader {
    /// Runs the commands of a block, and gives the block with what they print.
    fn runs(&mut self, block: &str) -> String {
        let mut renewed = String::new();
        for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            renewed.push_str(&format!("$ {command}\n"));
            let words = words(command);
            match words[..] {
                ["cd", folder] => self.folder.push(folder),
                ["dipmo", ref arguments @ ..] => {
                    renewed.push_str(&said(&dipmo(&self.folder, arguments)));
                }
                _ => panic!("nobody knows the command {command}"),
            }
        }
        renewed
    }

    fn appends(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, before + text).unwrap();
    }

    fn changes(&self, file: &str, diff: &str) {
        let side = |without: char| -> String {
            let lines = diff.lines().filter(|line| !line.starts_with(without));
            lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
        };
        let (old, new) = (side('+'), side('-'));
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(&old).count(), 1, "not once in {file}:\n{old}");
        std::fs::write(path, text.replace(&old, &new)).unwrap();
    }
}

/// The words of a command, some of them in quotes.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

#[test]
fn the_first_pipeline_goes_as_its_guide_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/first-pipeline.md");
    let guide = std::fs::read_to_string(&path).unwrap();
    let home = Folder::new("guide");
    let mut reader = Reader { folder: home.0.clone(), home };
    let (mut renewed, mut order) = (String::new(), None);
    for (at, part) in guide.split("```").enumerate() {
        renewed.push_str(if at > 0 { "```" } else { "" });
        if at % 2 == 0 {
            // The comment just before a block says what to do with it.
            let last = part.trim_end().lines().last().unwrap_or_default();
            order = last.strip_prefix("<!-- ").and_then(|it| it.strip_suffix(" -->"));
            renewed.push_str(part);
            continue;
        }
        let (language, block) = part.split_once('\n').unwrap();
        let words: Vec<&str> = order.unwrap_or_default().split(' ').collect();
        match (language, &words[..]) {
            ("console", _) => {
                renewed.push_str(&format!("console\n{}", reader.runs(block)));
                continue;
            }
            ("yaml", ["append", "to", file]) => reader.appends(file, block),
            ("diff", ["change", file]) => reader.changes(file, block),
            (_, [""]) => {}
            (language, words) => panic!("nobody knows what to do with {language}: {words:?}"),
        }
        renewed.push_str(part);
    }
    assert!(reader.folder != reader.home.0, "the guide goes into a folder of its own");
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&path, &renewed).unwrap();
    } else {
        assert!(guide == renewed, "DIPMO_RENEW=1 renews what the guide should say:\n{renewed}");
    }
}
