//! The state files: one JSON file per service in `target/services/`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::lock::Lock;
use crate::workspace;

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

    pub(crate) fn get<T: DeserializeOwned>(&self, service: &str) -> Result<Option<T>> {
        let path = self.path(service);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .with_context(|| format!("{} is not a state file; remove it", path.display()))
                .map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// The names of the services that have a file, in order.
    pub(crate) fn names(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            found.extend(name.strip_suffix(".json").map(str::to_owned));
        }
        found.sort();
        Ok(found)
    }

    /// Replaces the file in one step: a test that reads it never sees half of it.
    pub(crate) fn put<T: Serialize>(&self, service: &str, state: &T) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::state::State;

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
        assert_eq!(registry.names().unwrap(), ["postgres-15"]);
        let read: State = registry.get("postgres-15").unwrap().unwrap();
        assert_eq!(read.url, state.url);
        assert!(!read.is_alive(), "no such process runs");
        registry.forget("postgres-15").unwrap();
        assert!(registry.get::<State>("postgres-15").unwrap().is_none());
    }
}
