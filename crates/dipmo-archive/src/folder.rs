//! The directory of an archive, and the steps by which something in it becomes durable.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dipmo_store::admin::Lot;

use crate::ArchiveError;

/// Something that is done to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A directory is made, or what an earlier attempt left in it is removed.
    Directory,
    /// A file is made under a temporary name.
    Create,
    /// Something is written into it.
    Write,
    /// It is brought to the disk.
    Sync,
    /// It gets its name.
    Rename,
}

type Before = Arc<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

/// The directory of an archive.
#[derive(Clone)]
pub struct Folder {
    path: PathBuf,
    before: Option<Before>,
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Folder").field(&self.path).finish()
    }
}

impl Folder {
    /// The directory at this path, which is made when it is needed.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self { path, before: None }
    }

    /// The same, and every step is asked for first: what says no fails as the disk would.
    #[must_use]
    pub fn asking(
        mut self,
        before: impl Fn(Step) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.before = Some(Arc::new(before));
        self
    }

    /// Something below it.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Where a lot goes that is written under this epoch: no two who write ever share a directory.
    pub(crate) fn name_of(lot: &Lot, epoch: i64) -> String {
        format!("{}/{}-{}-{epoch}", lot.month, lot.side.as_str(), lot.id.0)
    }

    /// Does a step, unless it is refused.
    pub(crate) fn step<T>(
        &self,
        step: Step,
        path: &Path,
        act: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, ArchiveError> {
        let allowed = self.before.as_ref().map_or(Ok(()), |before| before(step));
        allowed.and_then(|()| act()).map_err(|error| ArchiveError::unwritable(path, &error))
    }

    /// Makes an empty directory, durable itself.
    pub(crate) fn make(&self, directory: &Path) -> Result<(), ArchiveError> {
        self.step(Step::Directory, directory, || {
            let is_new = !self.path.exists();
            if directory.exists() {
                fs::remove_dir_all(directory)?;
            }
            fs::create_dir_all(directory)?;
            // All that may be new above it, up to what was there before.
            let new = if is_new { 3 } else { 2 };
            directory.ancestors().skip(1).take(new).try_for_each(sync)
        })
    }

    /// Removes what earlier attempts at a lot left behind; who has them open loses nothing that counts.
    pub(crate) fn forget_others(&self, lot: &Lot, kept: &str) {
        let prefix = format!("{}-{}-", lot.side.as_str(), lot.id.0);
        let Ok(found) = fs::read_dir(self.at(&lot.month.to_string())) else { return };
        for entry in found.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix) && !kept.ends_with(&format!("/{name}")) {
                // It is waste of space at most: it is tried again with no later lot.
                if let Err(error) = fs::remove_dir_all(entry.path()) {
                    tracing::warn!(%error, directory = name, "what an attempt left is still there");
                }
            }
        }
    }
}

/// Brings the names in a directory to the disk.
pub(crate) fn sync(directory: &Path) -> io::Result<()> {
    // The last of the parents of a relative path is empty, and is the present directory.
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    File::open(directory)?.sync_all()
}
