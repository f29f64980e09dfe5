//! Writing the files of a lot.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dipmo_store::admin::{HistoryRow, Lot, LotFiles, LotPart};
use tokio_util::sync::CancellationToken;

use crate::folder::{Folder, Step, sync};
use crate::manifest::{FORMAT, FileEntry, Manifest, NAME};
use crate::{ArchiveError, read};

/// A file is ended when it has so many bytes before they are compressed.
const LARGE: u64 = 256 * 1024 * 1024;
const LEVEL: i32 = 3;

/// The files of one lot, while they are written.
pub(crate) struct Writer {
    folder: Folder,
    /// Below the folder.
    name: String,
    directory: PathBuf,
    files: Vec<FileEntry>,
    open: Option<Open>,
}

/// The file that rows go into right now.
struct Open {
    part: LotPart,
    encoder: zstd::Encoder<'static, Hashing>,
    temporary: PathBuf,
    rows: u64,
    ids: (i64, i64),
    plain_bytes: u64,
}

/// A file, and the checksum of what was written into it.
struct Hashing {
    file: File,
    hash: blake3::Hasher,
    bytes: u64,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += u64::try_from(written).unwrap_or(u64::MAX);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Writer {
    /// Begins in an empty directory.
    pub(crate) fn begin(folder: &Folder, name: String) -> Result<Self, ArchiveError> {
        let directory = folder.at(&name);
        folder.make(&directory)?;
        Ok(Self { folder: folder.clone(), name, directory, files: Vec::new(), open: None })
    }

    /// Adds rows of a part.
    pub(crate) fn add(&mut self, part: LotPart, rows: &[HistoryRow]) -> Result<(), ArchiveError> {
        if self.open.as_ref().is_some_and(|open| open.part != part || open.plain_bytes >= LARGE) {
            self.end_file()?;
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin_file(part, rows.first().map_or(0, |row| row.id))?,
        };
        let path = open.temporary.clone();
        self.folder.step(Step::Write, &path, || {
            for row in rows {
                let line = row.line.as_str();
                open.encoder.write_all(line.as_bytes())?;
                open.encoder.write_all(b"\n")?;
                open.plain_bytes += u64::try_from(line.len() + 1).unwrap_or(u64::MAX);
                open.ids = (open.ids.0.min(row.id), open.ids.1.max(row.id));
                open.rows += 1;
            }
            Ok(())
        })?;
        self.open = Some(open);
        Ok(())
    }

    fn begin_file(&self, part: LotPart, first: i64) -> Result<Open, ArchiveError> {
        let temporary = self.directory.join(format!("{}.tmp", self.next_name(part)));
        let file = self.folder.step(Step::Create, &temporary, || File::create_new(&temporary))?;
        let hashing = Hashing { file, hash: blake3::Hasher::new(), bytes: 0 };
        let encoder = zstd::Encoder::new(hashing, LEVEL)
            .map_err(|error| ArchiveError::unwritable(&temporary, &error))?;
        Ok(Open { part, encoder, temporary, rows: 0, ids: (first, first), plain_bytes: 0 })
    }

    fn next_name(&self, part: LotPart) -> String {
        format!("{}-{:04}.ndjson.zst", part.as_str(), self.files.len() + 1)
    }

    fn end_file(&mut self) -> Result<(), ArchiveError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let (name, path) = (self.next_name(open.part), open.temporary);
        let hashing = self.folder.step(Step::Write, &path, || open.encoder.finish())?;
        self.folder.step(Step::Sync, &path, || hashing.file.sync_all())?;
        self.rename(&path, &name)?;
        self.files.push(FileEntry {
            name,
            part: open.part.as_str().to_owned(),
            rows: open.rows,
            first_id: open.ids.0,
            last_id: open.ids.1,
            bytes: hashing.bytes,
            plain_bytes: open.plain_bytes,
            blake3: hashing.hash.finalize().to_hex().to_string(),
        });
        Ok(())
    }

    fn rename(&self, temporary: &Path, name: &str) -> Result<(), ArchiveError> {
        let path = self.directory.join(name);
        self.folder.step(Step::Rename, &path, || fs::rename(temporary, &path))
    }

    /// Writes the manifest, and reads all of it back; `None` when it was stopped.
    pub(crate) fn end(
        mut self,
        lot: &Lot,
        stop: &CancellationToken,
    ) -> Result<Option<LotFiles>, ArchiveError> {
        self.end_file()?;
        self.sync_names()?;
        let manifest = Manifest {
            format: FORMAT,
            lot: lot.id.0,
            side: lot.side.as_str().to_owned(),
            month: lot.month.to_string(),
            files: std::mem::take(&mut self.files),
        };
        let path = self.directory.join(format!("{NAME}.tmp"));
        let text = serde_json::to_vec_pretty(&manifest)
            .map_err(|error| ArchiveError::unwritable(&path, &error.into()))?;
        let mut file = self.folder.step(Step::Create, &path, || File::create_new(&path))?;
        self.folder.step(Step::Write, &path, || file.write_all(&text))?;
        self.folder.step(Step::Sync, &path, || file.sync_all())?;
        self.rename(&path, NAME)?;
        self.sync_names()?;
        let sum = |of: fn(&FileEntry) -> u64| manifest.files.iter().map(of).sum();
        let count = |records: bool| {
            let of_kind = |it: &&FileEntry| (it.part == LotPart::Records.as_str()) == records;
            manifest.files.iter().filter(of_kind).map(|it| it.rows).sum()
        };
        let files = LotFiles {
            directory: self.name,
            manifest: blake3::hash(&text).to_hex().to_string(),
            rows: count(false),
            records: count(true),
            files: u32::try_from(manifest.files.len()).unwrap_or(u32::MAX),
            bytes: sum(|it| it.bytes),
        };
        let sound = read::verify(&self.folder, lot.id, &files, stop)?;
        Ok(sound.map(|_| files))
    }

    fn sync_names(&self) -> Result<(), ArchiveError> {
        self.folder.step(Step::Sync, &self.directory, || sync(&self.directory))
    }
}
