//! The three files of results, read from the upload again as the client takes them.
//!
//! Rows come in another order than they went in: Salesforce promises none.

use std::io;
use std::sync::Arc;

use bytes::Bytes;

use super::job::{Job, Progress, Upload, Uploaded};
use super::outcome::{Outcome, Outcomes};
use super::rows::Rows;
use super::scan::{Contents, ROWS_IN_A_CHUNK};
use crate::org::id::{IdText, RecordId};
use crate::schema::Schema;
use crate::server::answer::Chunks;

/// How much is read from disk for one piece of an answer.
const PIECE: u64 = 64 * 1024;

/// One of the three files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    Successful,
    Failed,
    Unprocessed,
}

impl File {
    /// By the last segment of the path, in any letter case.
    pub(super) fn named(segment: &str) -> Option<File> {
        let names = [
            ("successfulResults", File::Successful),
            ("failedResults", File::Failed),
            ("unprocessedrecords", File::Unprocessed),
        ];
        names.iter().find(|(name, _)| name.eq_ignore_ascii_case(segment)).map(|&(_, file)| file)
    }

    /// How many rows it has.
    pub(super) fn rows(self, progress: &Progress) -> u64 {
        let outcomes = &progress.outcomes;
        match self {
            File::Successful => outcomes.processed() - outcomes.failed(),
            File::Failed => outcomes.failed(),
            File::Unprocessed => progress.rows() - outcomes.processed(),
        }
    }

    /// The columns before those of the upload.
    fn own_columns(self) -> &'static [&'static str] {
        match self {
            File::Successful => &["sf__Id", "sf__Created"],
            File::Failed => &["sf__Id", "sf__Error"],
            File::Unprocessed => &[],
        }
    }

    fn has(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Created(_) | Outcome::Changed(_) => self == File::Successful,
            Outcome::Failed(_) => self == File::Failed,
            Outcome::Unprocessed => self == File::Unprocessed,
        }
    }
}

/// The content of a file of a job that is over.
pub(super) fn content(
    job: &Arc<Job>,
    file: File,
    schema: &Arc<Schema>,
    rng: fastrand::Rng,
) -> Chunks {
    let Uploaded::Complete(upload) = job.progress().upload.clone() else {
        return header_only(job, file);
    };
    match (&upload.contents, file) {
        (Ok(contents), _) => {
            let order = Order::new(contents, rng);
            let pieces =
                Pieces { job: Arc::clone(job), schema: Arc::clone(schema), upload, file, order };
            Box::new(pieces)
        }
        // What could not be read goes back as it came.
        (Err(_), File::Unprocessed) => raw(upload),
        (Err(_), File::Successful | File::Failed) => header_only(job, file),
    }
}

fn header_only(job: &Job, file: File) -> Chunks {
    let mut out = Vec::new();
    if !file.own_columns().is_empty() {
        job.spec.format.write_row(file.own_columns().iter().copied(), &mut out);
    }
    Box::new(std::iter::once(Ok(Bytes::from(out))))
}

fn raw(upload: Arc<Upload>) -> Chunks {
    let length = upload.spool.length();
    let starts = (0..length).step_by(PIECE as usize);
    Box::new(starts.map(move |start| {
        let end = length.min(start + PIECE);
        upload.spool.read(start..end).map(Bytes::from)
    }))
}

/// Which chunks are still to be read, the next one last.
struct Order {
    header: bool,
    chunks: Vec<usize>,
    rng: fastrand::Rng,
}

impl Order {
    fn new(contents: &Contents, mut rng: fastrand::Rng) -> Self {
        let mut chunks: Vec<usize> = (0..contents.rows.div_ceil(ROWS_IN_A_CHUNK)).collect();
        rng.shuffle(&mut chunks);
        Order { header: true, chunks, rng }
    }
}

/// Writes a file piece by piece.
struct Pieces {
    job: Arc<Job>,
    schema: Arc<Schema>,
    upload: Arc<Upload>,
    file: File,
    order: Order,
}

impl Iterator for Pieces {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut out = Vec::new();
        let upload = Arc::clone(&self.upload);
        let contents = upload.contents.as_ref().ok()?;
        if std::mem::take(&mut self.order.header) {
            let columns = self
                .file
                .own_columns()
                .iter()
                .copied()
                .chain(contents.header.iter().map(String::as_str));
            self.job.spec.format.write_row(columns, &mut out);
        }
        while (out.len() as u64) < PIECE / 4 {
            let Some(chunk) = self.order.chunks.pop() else { break };
            if let Err(error) = self.write_chunk(contents, chunk, &mut out) {
                self.order.chunks.clear();
                return Some(Err(error));
            }
        }
        (!out.is_empty()).then(|| Ok(Bytes::from(out)))
    }
}

impl Pieces {
    fn write_chunk(
        &mut self,
        contents: &Contents,
        chunk: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let first = chunk * ROWS_IN_A_CHUNK;
        let job = Arc::clone(&self.job);
        let progress = job.progress();
        let mut wanted: Vec<usize> = (0..ROWS_IN_A_CHUNK.min(contents.rows - first))
            .filter(|row| self.file.has(progress.outcomes.of(first + row)))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        self.order.rng.shuffle(&mut wanted);
        let rows = self.upload.rows(contents, chunk, job.spec.format)?;
        for row in wanted {
            self.write_row(&progress.outcomes, first, row, &rows, out);
        }
        Ok(())
    }

    fn write_row(
        &self,
        outcomes: &Outcomes,
        first: usize,
        row: usize,
        rows: &Rows,
        out: &mut Vec<u8>,
    ) {
        let format = self.job.spec.format;
        let cells = rows.row(row);
        match outcomes.of(first + row) {
            Outcome::Unprocessed => format.write_row(cells, out),
            Outcome::Created(record) => {
                format.write_row([self.id(record).as_str(), "true"].into_iter().chain(cells), out);
            }
            Outcome::Changed(record) => {
                format.write_row([self.id(record).as_str(), "false"].into_iter().chain(cells), out);
            }
            Outcome::Failed(place) => {
                let Some(failure) = outcomes.failure(place) else { return };
                let id = failure.record.map(|record| self.id(record));
                let id = id.as_ref().map_or("", IdText::as_str);
                format.write_row([id, &failure.error].into_iter().chain(cells), out);
            }
        }
    }

    fn id(&self, record: RecordId) -> IdText {
        IdText::new(self.schema[record.object].prefix, record.serial.into())
    }
}
