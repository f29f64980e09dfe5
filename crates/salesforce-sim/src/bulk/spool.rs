//! An upload on disk, in a file without a name, so that its size costs no memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The bytes of one upload.
#[derive(Debug)]
pub(super) struct Spool {
    /// Reading moves the cursor of the file, so that one reads at a time.
    file: Mutex<File>,
    length: u64,
}

impl Spool {
    /// An empty one. The system removes the file as soon as it is closed, however the process ends.
    pub(super) fn new() -> io::Result<Spool> {
        Ok(Spool { file: Mutex::new(tempfile::tempfile()?), length: 0 })
    }

    /// Appends bytes.
    ///
    /// This blocks, but for no longer than a copy of one frame to the page cache takes.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.get_mut().unwrap_or_else(PoisonError::into_inner).write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of a range, which must lie within the spool.
    pub(super) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
