//! Values that nobody may read in a print, an error or a log.

use std::fmt;

/// What stands where a secret was.
const HIDDEN: &str = "***";

/// A password or a key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a text out of sight.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for whoever must send it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A text without it. What is empty is no secret, and is everywhere.
    pub(crate) fn strike(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, HIDDEN) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// All secrets of a client, to strike them out of what others wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut all: Vec<Secret> = secrets.into_iter().collect();
        // A secret may be a part of another one: the longer goes first, or its rest would stay.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.0.len()));
        Self(all)
    }

    pub(crate) fn strike(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| secret.strike(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_struck_out_even_if_another_is_a_part_of_it() {
        let secrets = Secrets::new(["pass", "passport", ""].map(Secret::new));
        assert_eq!(secrets.strike("passport, pass"), "***, ***");
        assert_eq!(format!("{secrets:?}"), "Secrets([***, ***, ***])");
    }
}
