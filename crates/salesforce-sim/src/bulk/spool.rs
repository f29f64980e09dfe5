//! The bytes of one upload: in memory while they are few, on disk when they are many.

use std::io;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use super::disk::{BLOCK, Block, Disk};

/// Up to so many bytes stay in memory.
const FEW: usize = 64 * 1024;

/// The bytes of one upload.
#[derive(Debug)]
pub(super) struct Spool {
    disk: Arc<Disk>,
    /// All of them, or none if there are blocks.
    memory: Vec<u8>,
    blocks: Vec<Block>,
    length: u64,
}

impl Spool {
    /// An empty one.
    pub(super) fn new(disk: &Arc<Disk>) -> Spool {
        Spool { disk: Arc::clone(disk), memory: Vec::new(), blocks: Vec::new(), length: 0 }
    }

    /// Appends bytes.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.blocks.is_empty() && self.memory.len() + bytes.len() <= FEW {
            self.memory.extend_from_slice(bytes);
            self.length += bytes.len() as u64;
            return Ok(());
        }
        let few = mem::take(&mut self.memory);
        self.length -= few.len() as u64;
        self.append_to_disk(&few)?;
        self.append_to_disk(bytes)
    }

    fn append_to_disk(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (block, at) = place(self.length);
            if block == self.blocks.len() {
                self.blocks.push(self.disk.take()?);
            }
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - at));
            self.blocks[block].write(at, now)?;
            self.length += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of a range, or an error where it does not lie within the spool.
    pub(super) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.start > range.end || range.end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (start, end) = (to_usize(range.start), to_usize(range.end));
        if self.blocks.is_empty() {
            return Ok(self.memory[start..end].to_vec());
        }
        let mut bytes = vec![0; end - start];
        let (mut rest, mut next) = (bytes.as_mut_slice(), range.start);
        while !rest.is_empty() {
            let (block, at) = place(next);
            let (now, later) = rest.split_at_mut(rest.len().min(BLOCK - at));
            self.blocks[block].read(at, now)?;
            next += now.len() as u64;
            rest = later;
        }
        Ok(bytes)
    }
}

/// The block of an offset, and the place within it.
fn place(offset: u64) -> (usize, usize) {
    let offset = to_usize(offset);
    (offset / BLOCK, offset % BLOCK)
}

/// An upload is limited to what any machine can count.
fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_in_memory_and_on_disk() {
        let disk = Arc::new(Disk::default());
        let mut rng = fastrand::Rng::with_seed(4);
        // Two at once, so that their blocks take turns in the file.
        let mut spools = [(Spool::new(&disk), Vec::new()), (Spool::new(&disk), Vec::new())];
        while spools[0].1.len() < 3 * BLOCK {
            for (spool, model) in &mut spools {
                let piece: Vec<u8> = (0..rng.usize(..100_000)).map(|_| rng.u8(..)).collect();
                spool.append(&piece).unwrap();
                model.extend_from_slice(&piece);
                let end = rng.usize(..=model.len());
                let start = rng.usize(..=end);
                let read = spool.read(start as u64..end as u64).unwrap();
                assert!(read == model[start..end], "{start}..{end} of {}", model.len());
                let beyond = spool.length()..spool.length() + 1;
                assert!(spool.read(beyond).is_err());
            }
        }
    }

    #[test]
    fn few_bytes_need_no_file() {
        let mut spool = Spool::new(&Arc::default());
        spool.append(&[b'x'; FEW]).unwrap();
        assert!(spool.blocks.is_empty());
        spool.append(b"y").unwrap();
        assert_eq!((spool.blocks.len(), spool.memory.len()), (1, 0));
        assert_eq!(spool.read(FEW as u64 - 1..FEW as u64 + 1).unwrap(), b"xy");
    }
}
