//! `PUT …/batches`: the data of a job goes to disk as it arrives.

use std::io;
use std::sync::Arc;

use jiff::Timestamp;

use super::disk::Disk;
use super::job::{Job, Upload, Uploaded};
use super::scan::Scan;
use super::spool::Spool;
use super::state::Wish;
use crate::refusal::Refusal;
use crate::server::body::RequestBody;

/// Salesforce counts after base64, which makes four bytes of three.
const MAX_BYTES: u64 = 150_000_000 / 4 * 3;

/// Takes the data of a job. Until the last byte is here nothing has happened to the job.
pub(super) async fn receive(
    job: &Arc<Job>,
    disk: &Arc<Disk>,
    body: &mut RequestBody,
    now: Timestamp,
) -> Result<(), Refusal> {
    let place = Place::take(job)?;
    let mut receiver = Receiver::new(job, disk);
    while let Some(bytes) = body.next().await? {
        receiver.push(&bytes)?;
    }
    place.fill(receiver.finish(), now)
}

/// Takes the data of a job that came with it.
pub(super) fn take(
    job: &Arc<Job>,
    disk: &Arc<Disk>,
    data: &[u8],
    now: Timestamp,
) -> Result<(), Refusal> {
    let place = Place::take(job)?;
    let mut receiver = Receiver::new(job, disk);
    receiver.push(data)?;
    place.fill(receiver.finish(), now)
}

/// An upload on its way.
struct Receiver {
    spool: Spool,
    scan: Scan,
}

impl Receiver {
    fn new(job: &Job, disk: &Arc<Disk>) -> Receiver {
        Receiver { spool: Spool::new(disk), scan: Scan::new(job.spec.format) }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if self.spool.length() + bytes.len() as u64 > MAX_BYTES {
            // The code is documented; the words are ours.
            let problem = "Job data exceeds the maximum size of 150 MB after base64 encoding";
            return Err(Refusal::new("BULK_API_ERROR", problem).with_status(413));
        }
        self.scan.push(bytes);
        self.spool.append(bytes).map_err(|error| cannot_spool(&error))
    }

    fn finish(self) -> Upload {
        Upload { spool: self.spool, contents: self.scan.finish() }
    }
}

fn cannot_spool(error: &io::Error) -> Refusal {
    Refusal::new("UNKNOWN_EXCEPTION", format!("The simulator cannot spool the upload: {error}"))
        .with_status(500)
}

/// The right to bring the data of a job, which one request has at a time. A request that is given up
/// gives it back, so that the client can try again.
struct Place<'a> {
    job: &'a Job,
}

impl<'a> Place<'a> {
    fn take(job: &'a Job) -> Result<Place<'a>, Refusal> {
        let mut progress = job.progress();
        progress.state.allow(Wish::Upload)?;
        if !matches!(progress.upload, Uploaded::Nothing) {
            // Salesforce names the job by 15 characters here, and writes `multipe`.
            let id = job.id.get(..15).unwrap_or(&job.id);
            let problem = format!(
                "Found multipe contents for job: <{id}>, please 'Close' / 'Abort' / 'Delete' the current Job \
                 then create a new Job and make sure you only do 'PUT' once on a given Job."
            );
            return Err(Refusal::new("BULK_API_ERROR", problem));
        }
        progress.upload = Uploaded::Arriving;
        Ok(Place { job })
    }

    /// Refused where the job was closed or aborted while the data was on its way.
    fn fill(&self, upload: Upload, now: Timestamp) -> Result<(), Refusal> {
        let mut progress = self.job.progress();
        progress.state.allow(Wish::Upload)?;
        progress.upload = Uploaded::Complete(Arc::new(upload));
        progress.changed = now;
        Ok(())
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut progress = self.job.progress();
        if matches!(progress.upload, Uploaded::Arriving) {
            progress.upload = Uploaded::Nothing;
        }
    }
}
