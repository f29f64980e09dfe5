//! The three files of results, and what each of them holds.

use std::sync::Arc;

use bytes::Bytes;

use super::job::{Job, Progress, Upload, Uploaded};
use super::outcome::Outcome;
use super::pieces::Pieces;
use crate::server::answer::Chunks;
use crate::server::world::World;

/// How much is read for one piece of a file that goes back as it came.
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

    /// The columns besides those of the upload.
    pub(super) fn own_columns(self) -> &'static [&'static str] {
        match self {
            File::Successful => &["sf__Id", "sf__Created"],
            File::Failed => &["sf__Id", "sf__Error"],
            File::Unprocessed => &[],
        }
    }

    pub(super) fn has(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Created(_) | Outcome::Changed(_) => self == File::Successful,
            Outcome::Failed(_) => self == File::Failed,
            Outcome::Unprocessed => self == File::Unprocessed,
        }
    }
}

/// The content of a file of a job that is over.
pub(super) fn content(world: &Arc<World>, job: &Arc<Job>, file: File) -> Chunks {
    let Uploaded::Complete(upload) = job.progress().upload.clone() else {
        return header_only(job, file);
    };
    match (&upload.contents, file) {
        (Ok(_), _) => Box::new(Pieces::new(world, job, upload, file)),
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
