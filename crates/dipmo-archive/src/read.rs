//! Reading the files of a lot, and comparing them with what was written.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use dipmo_domain::Json;
use dipmo_store::admin::{HistoryRow, LotFiles, LotId, LotPart};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::manifest::{FORMAT, FileEntry, Manifest, NAME};
use crate::{ArchiveError, Folder};

/// The largest manifest that is read.
const MANIFEST: u64 = 64 * 1024 * 1024;

/// Reads the manifest of a lot, which must be the one that was written.
pub(crate) fn manifest(
    folder: &Folder,
    lot: LotId,
    files: &LotFiles,
) -> Result<Manifest, ArchiveError> {
    let path = folder.at(&files.directory).join(NAME);
    let mut text = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(MANIFEST).read_to_end(&mut text));
    read.map_err(|error| ArchiveError::damaged(&path, &error))?;
    if blake3::hash(&text).to_hex().as_str() != files.manifest {
        return Err(ArchiveError::damaged(&path, "it is not the manifest that was written"));
    }
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|error| ArchiveError::damaged(&path, &error))?;
    if manifest.format != FORMAT || manifest.lot != lot.0 {
        return Err(ArchiveError::damaged(&path, "it is of another lot, or of another version"));
    }
    Ok(manifest)
}

/// Reads all files of a lot and compares them with the manifest; `None` when it was stopped.
pub(crate) fn verify(
    folder: &Folder,
    lot: LotId,
    files: &LotFiles,
    stop: &CancellationToken,
) -> Result<Option<Manifest>, ArchiveError> {
    let manifest = manifest(folder, lot, files)?;
    for entry in &manifest.files {
        if !verify_file(folder, files, entry, stop)? {
            return Ok(None);
        }
    }
    Ok(Some(manifest))
}

/// Reads one file to its end; checksum, size and lines must be those of the manifest. False when it was stopped.
fn verify_file(
    folder: &Folder,
    files: &LotFiles,
    entry: &FileEntry,
    stop: &CancellationToken,
) -> Result<bool, ArchiveError> {
    let path = path_of(folder, files, entry);
    let damaged = |problem: &dyn ToString| ArchiveError::damaged(&path, &problem.to_string());
    let mut file = File::open(&path).map_err(|error| damaged(&error))?;
    let mut hash = blake3::Hasher::new();
    let mut buffer = vec![0; 64 * 1024];
    let bytes = read_all(&mut file, &mut buffer, stop, |bytes| {
        hash.update(bytes);
    });
    let bytes = bytes.map_err(|error| damaged(&error))?;
    if stop.is_cancelled() {
        return Ok(false);
    }
    if bytes != entry.bytes || hash.finalize().to_hex().as_str() != entry.blake3 {
        return Err(damaged(&"its checksum is not that of the manifest"));
    }
    let file = File::open(&path).map_err(|error| damaged(&error))?;
    let mut decoder = zstd::Decoder::new(file).map_err(|error| damaged(&error))?;
    let mut lines = 0;
    let plain = read_all(&mut decoder, &mut buffer, stop, |bytes| {
        lines += bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
    });
    let plain = plain.map_err(|error| damaged(&error))?;
    if stop.is_cancelled() {
        return Ok(false);
    }
    if plain != entry.plain_bytes || lines != entry.rows {
        return Err(damaged(&"it has not as many rows as the manifest says"));
    }
    Ok(true)
}

/// Reads to the end, or until it is stopped.
fn read_all(
    reader: &mut impl Read,
    buffer: &mut [u8],
    stop: &CancellationToken,
    mut see: impl FnMut(&[u8]),
) -> io::Result<u64> {
    let mut bytes = 0;
    loop {
        let read = reader.read(buffer)?;
        if read == 0 || stop.is_cancelled() {
            return Ok(bytes);
        }
        see(&buffer[..read]);
        bytes += u64::try_from(read).unwrap_or(u64::MAX);
    }
}

fn path_of(folder: &Folder, files: &LotFiles, entry: &FileEntry) -> PathBuf {
    folder.at(&files.directory).join(&entry.name)
}

/// The rows of a file that was verified.
pub(crate) struct Rows {
    path: PathBuf,
    lines: BufReader<zstd::Decoder<'static, BufReader<File>>>,
}

/// Of a line, what has to be known to read on.
#[derive(Deserialize)]
struct Line {
    id: i64,
}

impl Rows {
    /// Opens a file.
    pub(crate) fn open(
        folder: &Folder,
        files: &LotFiles,
        entry: &FileEntry,
    ) -> Result<(LotPart, Self), ArchiveError> {
        let path = path_of(folder, files, entry);
        let parts = [LotPart::Messages, LotPart::Intents, LotPart::Records];
        let Some(part) = parts.into_iter().find(|part| part.as_str() == entry.part) else {
            return Err(ArchiveError::damaged(&path, "it has rows of a kind that is not known"));
        };
        let decoder = File::open(&path).and_then(zstd::Decoder::new);
        let decoder = decoder.map_err(|error| ArchiveError::damaged(&path, &error))?;
        Ok((part, Self { path, lines: BufReader::new(decoder) }))
    }

    /// The next rows; none at the end.
    pub(crate) fn next(&mut self, limit: usize) -> Result<Vec<HistoryRow>, ArchiveError> {
        let damaged = |error: &dyn ToString| ArchiveError::damaged(&self.path, &error.to_string());
        let mut rows = Vec::new();
        let mut line = String::new();
        while rows.len() < limit {
            line.clear();
            if self.lines.read_line(&mut line).map_err(|error| damaged(&error))? == 0 {
                break;
            }
            let text = line.trim_end_matches('\n');
            let Line { id } = serde_json::from_str(text).map_err(|error| damaged(&error))?;
            rows.push(HistoryRow { id, line: Json::from_store_str(text) });
        }
        Ok(rows)
    }
}

/// True when a lot that was archived has its manifest still: only then may its rows go.
pub(crate) fn stands(folder: &Folder, lot: LotId, files: &LotFiles) -> Result<(), ArchiveError> {
    let manifest = manifest(folder, lot, files)?;
    for entry in &manifest.files {
        let path = path_of(folder, files, entry);
        let found = fs::metadata(&path).map_err(|error| ArchiveError::damaged(&path, &error))?;
        if found.len() != entry.bytes {
            return Err(ArchiveError::damaged(&path, "its size is not that of the manifest"));
        }
    }
    Ok(())
}
