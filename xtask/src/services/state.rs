//! The state files: one JSON file per service in `target/services/`.
//!
//! Tests read `url` from them, so a field may be added and none renamed.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::postmaster;
use crate::lock::Lock;
use crate::workspace;

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

/// The folder of the state files.
pub(crate) struct Registry {
    folder: PathBuf,
}

impl Registry {
    pub(crate) fn open() -> Result<Self> {
        Ok(Self { folder: workspace::target_folder("services")? })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, service: &str) -> PathBuf {
        self.folder.join(format!("{service}.json"))
    }

    /// Held while services are started or stopped, so that two runs never do it at once.
    pub(crate) fn lock(&self) -> Result<Lock> {
        Lock::exclusive(&self.folder.join("changing.lock"))
    }

    /// As [`Self::lock`], for the way out: an interrupt does not end the waiting.
    pub(crate) fn lock_for_cleanup(&self) -> Result<Lock> {
        Lock::exclusive_uninterrupted(&self.folder.join("changing.lock"))
    }

    /// Held by every run that uses services; the last holder stops those that nobody keeps.
    pub(crate) fn use_lock(&self) -> Result<Lock> {
        Lock::shared(&self.folder.join("in-use.lock"))
    }

    pub(crate) fn get(&self, service: &str) -> Result<Option<State>> {
        let path = self.path(service);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .with_context(|| format!("{} is not a state file; remove it", path.display()))
                .map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Every recorded service, by name.
    pub(crate) fn list(&self) -> Result<Vec<(String, State)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let Some(service) = name.strip_suffix(".json") else { continue };
            if let Some(state) = self.get(service)? {
                found.push((service.to_owned(), state));
            }
        }
        found.sort_by(|(left, _), (right, _)| left.cmp(right));
        Ok(found)
    }

    /// Replaces the file in one step: a test that reads it never sees half of it.
    pub(crate) fn put(&self, service: &str, state: &State) -> Result<()> {
        let path = self.path(service);
        let draft = path.with_extension("draft");
        let mut options = OpenOptions::new();
        // It holds a password, so only the owner may read it.
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&draft)?;
        file.write_all(&serde_json::to_vec_pretty(state)?)?;
        file.write_all(b"\n")?;
        fs::rename(&draft, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    pub(crate) fn forget(&self, service: &str) -> Result<()> {
        match fs::remove_file(self.path(service)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove the state of {service}"))
            }
            _ => Ok(()),
        }
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
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(
            masked("postgres://dipmo:s3cret@127.0.0.1:5999/postgres"),
            "postgres://dipmo:***@127.0.0.1:5999/postgres"
        );
        assert_eq!(masked("127.0.0.1"), "127.0.0.1");
    }

    #[test]
    fn a_state_file_is_private_and_reads_back() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry { folder: folder.path().to_path_buf() };
        let state = State {
            url: "postgres://dipmo:pw@127.0.0.1:5999/postgres".into(),
            pid: 4_000_000,
            version: "15.18".into(),
            data: folder.path().join("data"),
            fast: true,
            kept: false,
        };
        registry.put("postgres-15", &state).unwrap();
        let mode = fs::metadata(registry.path("postgres-15")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let read = registry.list().unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].1.url, state.url);
        assert!(!read[0].1.is_alive(), "no such process runs");
        registry.forget("postgres-15").unwrap();
        assert!(registry.get("postgres-15").unwrap().is_none());
    }
}
