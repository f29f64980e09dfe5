//! What can be wrong with an archive.

use std::io;
use std::path::Path;

use dipmo_domain::{Code, Coded, StoreError};
use thiserror::Error;

/// What can be wrong with an archive.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A file or directory cannot be written: nothing is dropped until it can.
    #[error("{path}: {problem}; nothing was dropped")]
    Unwritable {
        /// Which.
        path: String,
        /// What the system says.
        problem: String,
    },
    /// A file is not as it was written.
    #[error("{path}: {problem}")]
    Damaged {
        /// Which.
        path: String,
        /// How it differs.
        problem: String,
    },
    /// History stands aside for an archive that the configuration does not have any more.
    #[error(
        "lot {lot} stands aside and waits for its files; nothing is dropped until `retention.archive` is there again"
    )]
    Nowhere {
        /// Which lot.
        lot: i64,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Coded for ArchiveError {
    fn code(&self) -> Code {
        match self {
            Self::Unwritable { .. } => Code::new("archive-unwritable"),
            Self::Damaged { .. } => Code::new("archive-damaged"),
            Self::Nowhere { .. } => Code::new("archive-nowhere"),
            Self::Store(error) => error.code(),
        }
    }
}

impl ArchiveError {
    /// True when somebody else took the duty.
    pub(crate) const fn is_fenced(&self) -> bool {
        matches!(self, Self::Store(StoreError::Fenced { .. }))
    }

    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        Self::Unwritable { path: path.display().to_string(), problem: error.to_string() }
    }

    pub(crate) fn damaged(path: &Path, problem: &(impl ToString + ?Sized)) -> Self {
        Self::Damaged { path: path.display().to_string(), problem: problem.to_string() }
    }
}
