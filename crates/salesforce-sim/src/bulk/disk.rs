//! One file without a name for the large uploads of all jobs, in blocks that are used again.
//!
//! A file for each job would end at the number of files that a process may have open. The system
//! removes this one as soon as nobody has a block of it, however the process ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The room of a block.
pub(super) const BLOCK: usize = 1024 * 1024;

/// Gives out blocks of a file that exists while there are any.
#[derive(Debug, Default)]
pub(super) struct Disk {
    blocks: Mutex<Blocks>,
}

#[derive(Debug, Default)]
struct Blocks {
    file: Weak<File>,
    /// How many the file has had room for.
    made: u64,
    /// Those that were given back.
    free: Vec<u64>,
}

/// A part of the file, which is given back when this is dropped.
#[derive(Debug)]
pub(super) struct Block {
    number: u64,
    file: Arc<File>,
    disk: Arc<Disk>,
}

impl Disk {
    /// A block of one's own; what it holds is not defined.
    pub(super) fn take(self: &Arc<Disk>) -> io::Result<Block> {
        let mut blocks = self.blocks();
        let file = match blocks.file.upgrade() {
            Some(file) => file,
            None => {
                let file = Arc::new(tempfile::tempfile()?);
                *blocks = Blocks { file: Arc::downgrade(&file), ..Blocks::default() };
                file
            }
        };
        let number = blocks.free.pop().unwrap_or_else(|| {
            blocks.made += 1;
            blocks.made - 1
        });
        Ok(Block { number, file, disk: Arc::clone(self) })
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Block {
    /// Writes at a place of the block; the caller stays within it.
    ///
    /// This blocks, but for no longer than a copy to the page cache takes.
    pub(super) fn write(&self, at: usize, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.offset(at))
    }

    /// Fills `bytes` from a place of the block, to which enough was written.
    pub(super) fn read(&self, at: usize, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(bytes, self.offset(at))
    }

    fn offset(&self, at: usize) -> u64 {
        self.number * BLOCK as u64 + at as u64
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.disk.blocks().free.push(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_used_again_and_the_file_ends_with_the_last_one() {
        let disk = Arc::new(Disk::default());
        let (first, second) = (disk.take().unwrap(), disk.take().unwrap());
        assert_eq!((first.number, second.number), (0, 1));
        second.write(BLOCK - 1, b"x").unwrap();
        drop(first);
        let again = disk.take().unwrap();
        assert_eq!(again.number, 0);
        let mut last = [0];
        second.read(BLOCK - 1, &mut last).unwrap();
        assert_eq!(&last, b"x");
        let file = Arc::downgrade(&again.file);
        drop((again, second));
        assert!(file.upgrade().is_none(), "the file is still open");
        assert_eq!(disk.take().unwrap().number, 0);
    }
}
