//! `docs/guide/first-pipeline.md` is true. `DIPMO_RENEW=1 cargo test -p dipmo --test starting guide` writes its prints
//! anew.

use std::path::PathBuf;

use crate::page::{self, Reader};
use crate::program::{Folder, dipmo, said};

/// Somebody who has the program and nothing else.
struct Beginner {
    home: Folder,
    folder: PathBuf,
}

impl Reader for Beginner {
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    fn types(&mut self, command: &str) -> String {
        match words(command)[..] {
            ["cd", folder] => self.folder.push(folder),
            ["dipmo", ref arguments @ ..] => return said(&dipmo(&self.folder, arguments)),
            _ => panic!("nobody knows the command {command}"),
        }
        String::new()
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
    let home = Folder::new("guide");
    let mut reader = Beginner { folder: home.0.clone(), home };
    page::follow("first-pipeline.md", &mut reader);
    assert!(reader.folder != reader.home.0, "the guide goes into a folder of its own");
}
