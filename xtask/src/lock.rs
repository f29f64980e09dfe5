//! Locks between runs of this tool, released by the system however a run ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context, Result};

use crate::process;

/// Holds a lock file until it is dropped.
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Waits until nobody else holds the lock; an interrupt ends the waiting.
    pub(crate) fn exclusive(path: &Path) -> Result<Self> {
        Self::acquire(path, File::try_lock)
    }

    /// As [`Self::exclusive`], but waits on when interrupted.
    pub(crate) fn exclusive_uninterrupted(path: &Path) -> Result<Self> {
        let file = open(path)?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(Self { file })
    }

    /// Waits until nobody holds the lock exclusively.
    pub(crate) fn shared(path: &Path) -> Result<Self> {
        Self::acquire(path, File::try_lock_shared)
    }

    /// Turns a shared lock into an exclusive one if this is the last holder.
    pub(crate) fn is_last_holder(&self) -> bool {
        self.file.unlock().is_ok() && self.file.try_lock().is_ok()
    }

    fn acquire(path: &Path, try_lock: fn(&File) -> Result<(), TryLockError>) -> Result<Self> {
        let file = open(path)?;
        loop {
            match try_lock(&file) {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => {
                    process::check()?;
                    std::thread::sleep(process::TICK);
                }
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("cannot lock {}", path.display()));
                }
            }
        }
    }
}

fn open(path: &Path) -> Result<File> {
    File::options()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn the_last_holder_of_a_shared_lock_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::shared(&path).unwrap();
        let second = Lock::shared(&path).unwrap();
        assert!(!first.is_last_holder());
        assert!(second.is_last_holder());
    }
}
