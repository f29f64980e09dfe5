//! The folder of one server, removed unless the start succeeds.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::account::Account;
use crate::process;

/// The longest path of a socket that every system takes, less the name of the socket itself.
const LONGEST_SOCKET_FOLDER: usize = 80;

/// A folder that goes away when it is dropped, unless it was kept.
pub(crate) struct ServiceFolder {
    path: PathBuf,
    keep: bool,
}

impl ServiceFolder {
    /// Creates an empty folder for `service`, in `home` where possible.
    ///
    /// The system's temporary folder takes its place when the account cannot reach `home` or
    /// when the path is too long for a socket.
    pub(crate) fn create(home: &Path, service: &str, account: &Account) -> Result<Self> {
        let wished = home.join(service);
        let short = wished.join("socket").as_os_str().len() <= LONGEST_SOCKET_FOLDER;
        let path = if short && account.can_reach(home) {
            wished
        } else {
            std::env::temp_dir().join(format!("dipmo-{service}-{}", random_hex(8)?))
        };
        remove_all(&path)?;
        fs::create_dir(&path).with_context(|| format!("cannot create {}", path.display()))?;
        let folder = Self { path, keep: false };
        fs::set_permissions(&folder.path, fs::Permissions::from_mode(0o755))?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the folder where it is: its server is up.
    pub(crate) fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for ServiceFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Err(error) = remove_all(&self.path) {
            eprintln!("warning: {error:#}");
        }
    }
}

/// Removes a folder with all that is in it; one that is not there is fine.
///
/// Processes of a server that was killed write for a moment longer, so it tries a few times.
pub(crate) fn remove_all(path: &Path) -> Result<()> {
    let mut attempts = 0..50;
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {
                if attempts.next().is_none() {
                    bail!("something still writes to {}", path.display());
                }
                std::thread::sleep(process::TICK);
            }
            other => {
                return other.with_context(|| format!("cannot remove {}", path.display()));
            }
        }
    }
}

/// Random bytes of the system, as text.
pub(crate) fn random_hex(bytes: usize) -> Result<String> {
    use std::io::Read;
    let mut buffer = vec![0; bytes];
    fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut buffer))
        .context("the system gives no random bytes")?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The last lines of a log, for a person who asks why its server is not up.
pub(crate) fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_away_unless_it_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let dropped = ServiceFolder::create(home.path(), "one", &Account::Own).unwrap();
        let path = dropped.path().to_path_buf();
        drop(dropped);
        assert!(!path.exists());
        let mut kept = ServiceFolder::create(home.path(), "two", &Account::Own).unwrap();
        let path = kept.path().to_path_buf();
        kept.keep();
        drop(kept);
        assert!(path.exists());
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let deep = home.path().join("x".repeat(100));
        fs::create_dir(&deep).unwrap();
        let folder = ServiceFolder::create(&deep, "one", &Account::Own).unwrap();
        assert!(!folder.path().starts_with(&deep));
    }
}
