//! What is outside of the file: variables and files with secrets.

use std::io::{self, Read as _};
use std::path::Path;

/// Where references are looked up.
pub trait Environment {
    /// A variable, if it is set.
    ///
    /// # Errors
    /// When it is set to what is no text.
    fn variable(&self, name: &str) -> io::Result<Option<String>>;

    /// The text of a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no text.
    fn file(&self, path: &Path) -> io::Result<String>;
}

/// The environment of this process, and its files.
#[derive(Clone, Copy, Debug)]
pub struct ProcessEnvironment;

/// No secret is larger.
const LARGEST_SECRET: usize = 1 << 20;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> io::Result<Option<String>> {
        match std::env::var(name) {
            Ok(value) => Ok(Some(value)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => Err(no_text()),
        }
    }

    fn file(&self, path: &Path) -> io::Result<String> {
        read_file(path, LARGEST_SECRET)
    }
}

/// A text file that is not larger than that and a byte: who asks says what is too large.
pub(super) fn read_file(path: &Path, largest: usize) -> io::Result<String> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(largest).unwrap_or(u64::MAX).saturating_add(1);
    std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    // A text that was cut inside a character is too large, and not wrong.
    if bytes.len() > largest {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    String::from_utf8(bytes).map_err(|_| no_text())
}

fn no_text() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is no text in UTF-8")
}
