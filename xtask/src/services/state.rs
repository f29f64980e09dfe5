//! The state of a PostgreSQL, as its file says it.
//!
//! Tests read `url`, so a field may be added and none renamed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::postmaster;

/// What is known of a service that was started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Address of a superuser, with its password.
    pub(crate) url: String,
    /// Process id of the postmaster.
    pub(crate) pid: i32,
    /// What the server calls its version, such as `15.18`.
    pub(crate) version: String,
    /// The data folder; its parent holds the log and the socket.
    pub(crate) data: PathBuf,
    /// Whether durability was given up for speed.
    pub(crate) fast: bool,
    /// Whether a person started it; the others go down with the last run that uses them.
    pub(crate) kept: bool,
}

impl State {
    /// Whether the recorded process is the postmaster of the recorded data folder.
    pub(crate) fn is_alive(&self) -> bool {
        postmaster::pid(&self.data) == Some(self.pid)
            && postmaster::is_running(self.pid, &self.data)
    }

    /// One line for a person, without the password.
    pub(crate) fn summary(&self) -> String {
        format!(
            "PostgreSQL {} at {}, pid {}, {}",
            self.version,
            masked(&self.url),
            self.pid,
            super::durability(self)
        )
    }
}

fn masked(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (account, rest))) => {
            let user = account.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:***@{rest}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(
            masked("postgres://dipmo:s3cret@127.0.0.1:5999/postgres"),
            "postgres://dipmo:***@127.0.0.1:5999/postgres"
        );
        assert_eq!(masked("127.0.0.1"), "127.0.0.1");
    }
}
