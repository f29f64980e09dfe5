//! What a gate, a command or a figure is about.

use std::fmt;

use serde::Serialize;

/// An org, or one object of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Target {
    /// The org, by its name in the configuration.
    pub org: String,
    /// The sObject; `None` is the org as a whole.
    pub object: Option<String>,
}

impl Target {
    /// An org as a whole.
    #[must_use]
    pub fn org(org: &str) -> Self {
        Self { org: org.to_owned(), object: None }
    }

    /// One object of an org.
    #[must_use]
    pub fn object(org: &str, object: &str) -> Self {
        Self { org: org.to_owned(), object: Some(object.to_owned()) }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.object {
            None => write!(f, "org {}", self.org),
            Some(object) => write!(f, "{object} in org {}", self.org),
        }
    }
}
