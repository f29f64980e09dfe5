//! Retention: one elected instance takes history out of the database, by way of files where there is an archive, and
//! puts it back when somebody wants it.
//!
//! ```text
//!  settled history ──set aside──► lot ──written──► files, manifest last ──read again──► archived ──► dropped
//! ```
//!
//! What stands aside never changes, so what was written is what is dropped. A crash at any line leaves a lot as it was:
//! one that is aside is written anew, into a directory of its own for each lease, and one that is archived is dropped.
//!
//! Start reading at `keeper.rs`.
//!
//! **Invariants:** nothing is dropped before its files were written to the disk and read back; nothing is restored from
//! files that are not as they were written.

mod error;
mod folder;
mod keeper;
mod manifest;
mod read;
mod round;
mod wishes;
mod write;

pub use error::ArchiveError;
pub use folder::{Folder, Step};
pub use keeper::{Keeper, Policy};
pub use manifest::{FileEntry, Manifest};
