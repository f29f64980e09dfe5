//! What is in the files of a lot.

use serde::{Deserialize, Serialize};

/// The name of the file.
pub(crate) const NAME: &str = "manifest.json";
/// The version of the format.
pub(crate) const FORMAT: u32 = 1;

/// The manifest of a lot: written last, so that a directory that has one is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// The number of the lot.
    pub lot: i64,
    /// `inbox` or `outbox`.
    pub side: String,
    /// The month, as `YYYY-MM`.
    pub month: String,
    /// The files, in the order in which they are restored.
    pub files: Vec<FileEntry>,
}

/// A file of rows: NDJSON, compressed with zstd.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// `messages`, `intents` or `records`.
    pub part: String,
    /// How many lines.
    pub rows: u64,
    /// The lowest id.
    pub first_id: i64,
    /// The highest id.
    pub last_id: i64,
    /// Its size.
    pub bytes: u64,
    /// Its size when it is not compressed.
    pub plain_bytes: u64,
    /// BLAKE3 of the file as it is on the disk, in hex.
    pub blake3: String,
}
