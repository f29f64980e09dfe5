//! The run of a job: batches of 10,000 rows in any order, chunks of 200 rows in any order.
//!
//! A chunk is written, committed and then noted down while the progress of the job is held, so that a
//! job that is aborted knows of every row that was written, and of no other.

use std::mem;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use jiff::Timestamp;
use tokio::task;
use tokio::time;

use super::chunk::{Plan, Row, Settled};
use super::job::{Job, Progress, Upload, Uploaded};
use super::outcome::Outcomes;
use super::rows::Rows;
use super::scan::{Contents, ROWS_IN_A_CHUNK};
use super::state::State;
use crate::fault::{JobEnd, JobFault, JobTarget};
use crate::org::Org;
use crate::org::transaction::{Caller, Transaction};
use crate::server::api::Api;
use crate::server::world::World;

/// Salesforce makes a batch of so many rows, and counts batches against a daily limit.
const CHUNKS_IN_A_BATCH: usize = 50;

/// How often rows are tried again whose records are locked.
const LOCK_RETRIES: u32 = 3;

/// How the run of a job ends.
enum End {
    Complete,
    Failed(String),
    Aborted,
    /// The job was aborted or deleted by a client: there is nothing left to say.
    Stopped,
}

/// Runs a job that the call with this number closed, as soon as its turn comes.
pub(super) async fn run(world: Arc<World>, job: Arc<Job>, call: u64) {
    let mut rng = world.clock.rng("bulk.queue", job.number);
    time::sleep(world.schema.latency.of("bulk.queue").sample(&mut rng)).await;
    let started = world.clock.now();
    {
        let mut progress = job.progress();
        if progress.state != State::UploadComplete {
            return;
        }
        progress.enter(State::InProgress, started);
        progress.started = Some(started);
    }
    let end = Run { world: &world, job: &job, call }.work().await;
    let now = world.clock.now();
    let mut progress = job.progress();
    match end {
        _ if progress.state != State::InProgress => {}
        End::Complete => progress.enter(State::JobComplete, now),
        End::Failed(message) => progress.fail(message, now),
        End::Aborted => progress.enter(State::Aborted, now),
        End::Stopped => {}
    }
}

struct Run<'a> {
    world: &'a Arc<World>,
    job: &'a Arc<Job>,
    call: u64,
}

impl Run<'_> {
    async fn work(&self) -> End {
        let (mut fault, upload) = match self.begin() {
            Ok(begun) => begun,
            Err(end) => return end,
        };
        let Uploaded::Complete(upload) = upload else {
            return End::Failed("InvalidBatch : Records not found".to_owned());
        };
        let contents = match &upload.contents {
            Ok(contents) => contents,
            Err(message) => return End::Failed(message.clone()),
        };
        let plan = match Plan::new(&self.world.schema, &self.job.spec, &contents.header) {
            Ok(plan) => plan,
            Err(message) => return End::Failed(message),
        };
        self.job.progress().outcomes = Outcomes::new(contents.rows);
        self.write(&plan, &upload, contents, &mut fault).await.unwrap_or_else(|end| end)
    }

    /// The fault of the job and its data. A job that is stopped already uses no rule up.
    fn begin(&self) -> Result<(Option<JobFault>, Uploaded), End> {
        let progress = self.in_progress()?;
        let target = JobTarget {
            object: &self.world.schema[self.job.spec.object].name,
            operation: self.job.spec.operation.name(),
        };
        Ok((self.world.faults.for_job(&target), progress.upload.clone()))
    }

    /// The progress of the job, unless somebody stopped it.
    fn in_progress(&self) -> Result<MutexGuard<'_, Progress>, End> {
        let progress = self.job.progress();
        if progress.state == State::InProgress { Ok(progress) } else { Err(End::Stopped) }
    }

    /// The org, unless it is another than that of the job.
    fn org(&self) -> Result<MutexGuard<'_, Org>, End> {
        let org = self.world.org();
        self.world.check_epoch(self.job.epoch).map_err(|_| End::Stopped)?;
        Ok(org)
    }

    /// Counts a batch of the day.
    fn spend_batch(&self) -> Result<(), End> {
        let _progress = self.in_progress()?;
        if self.org()?.limits.spend_batches(1, self.world.clock.now()) {
            return Ok(());
        }
        Err(End::Failed("ExceededQuota : ApiBatchItems Limit exceeded".to_owned()))
    }

    /// Ends early by `Err`.
    async fn write(
        &self,
        plan: &Plan,
        upload: &Upload,
        contents: &Contents,
        fault: &mut Option<JobFault>,
    ) -> Result<End, End> {
        let mut rng = self.world.clock.rng("bulk.order", self.job.number);
        let mut chunks: Vec<usize> = (0..contents.chunk_bounds.len().saturating_sub(1)).collect();
        let mut batches: Vec<&mut [usize]> = chunks.chunks_mut(CHUNKS_IN_A_BATCH).collect();
        rng.shuffle(&mut batches);
        for batch in batches {
            self.spend_batch()?;
            time::sleep(self.world.schema.latency.of("bulk.batch").sample(&mut rng)).await;
            rng.shuffle(batch);
            for &chunk in batch.iter() {
                self.meet(fault, false).await?;
                self.write_chunk(plan, upload, contents, chunk).await?;
                // A job of many rows leaves room for those who ask how it goes.
                task::yield_now().await;
            }
        }
        self.meet(fault, true).await?;
        Ok(End::Complete)
    }

    /// Meets the fault of the job if it is time for it: after so many rows, or after the last one.
    async fn meet(&self, fault: &mut Option<JobFault>, at_the_end: bool) -> Result<(), End> {
        let processed = self.job.progress().outcomes.processed();
        let Some(due) = fault.take_if(|fault| at_the_end || processed >= fault.after_rows) else {
            return Ok(());
        };
        match due.end {
            JobEnd::Failed { message } => Err(End::Failed(message)),
            JobEnd::Aborted => Err(End::Aborted),
            JobEnd::Unprocessed => Err(End::Complete),
            JobEnd::Vanished => {
                self.world.jobs.remove(self.job);
                Err(End::Stopped)
            }
            JobEnd::Stuck { hold } => {
                time::sleep(hold).await;
                Ok(())
            }
        }
    }

    /// Writes a chunk; rows that meet a lock are tried again a few times.
    async fn write_chunk(
        &self,
        plan: &Plan,
        upload: &Upload,
        contents: &Contents,
        chunk: usize,
    ) -> Result<(), End> {
        let rows = upload
            .rows(contents, chunk, self.job.spec.format)
            .map_err(|error| End::Failed(format!("Unknown : {error}")))?;
        let mut work = Work {
            plan,
            repeated: plan.repeated(&self.world.schema, &rows),
            first: chunk * ROWS_IN_A_CHUNK,
            pending: (0..rows.len()).collect(),
            rows,
        };
        for retries_left in (0..=LOCK_RETRIES).rev() {
            let Some(locked_until) = self.write_rows(&mut work, retries_left == 0)? else { break };
            self.job.progress().retries += 1;
            time::sleep(self.wait_for(locked_until)).await;
        }
        Ok(())
    }

    /// Writes what is pending in one transaction. Rows that met a lock stay pending unless this is
    /// the last try; then there is a time at which the last of these locks ends.
    fn write_rows(&self, work: &mut Work<'_>, last: bool) -> Result<Option<Timestamp>, End> {
        let mut progress = self.in_progress()?;
        let mut org = self.org()?;
        let mut tx = Transaction::begin(&mut org, self.caller());
        let mut cells = Vec::new();
        let mut settled = Vec::with_capacity(work.pending.len());
        for row in mem::take(&mut work.pending) {
            cells.clear();
            cells.extend(work.rows.row(row));
            let repeated = work.repeated.get(row).is_some_and(|&repeated| repeated);
            settled.push((row, work.plan.write(&mut tx, &Row { cells: &cells, repeated })));
        }
        tx.commit();
        drop(org);
        let mut locked_until = None;
        for (row, settled) in settled {
            match settled {
                Settled::Locked(_, until) if !last => {
                    work.pending.push(row);
                    locked_until = locked_until.max(Some(until));
                }
                Settled::Done(outcome) => progress.outcomes.succeed(work.first + row, outcome),
                Settled::Failed(failure) | Settled::Locked(failure, _) => {
                    progress.outcomes.fail(work.first + row, failure);
                }
            }
        }
        Ok(locked_until)
    }

    fn caller(&self) -> Caller {
        Caller {
            call: self.call,
            job: Some(Arc::clone(&self.job.id)),
            user: self.job.user,
            now: self.world.clock.now(),
            draw: self.job.number,
            faults: self.world.faults.for_rows(Api::BulkClose),
        }
    }

    /// Until a lock ends, but no longer than Salesforce waits for one.
    fn wait_for(&self, locked_until: Timestamp) -> Duration {
        let left = locked_until.duration_since(self.world.clock.now());
        Duration::try_from(left).unwrap_or_default().min(self.world.schema.locks.wait)
    }
}

/// A chunk that is being written.
struct Work<'a> {
    plan: &'a Plan,
    rows: Rows,
    /// Which rows are about the record of another row of the chunk.
    repeated: Vec<bool>,
    /// The number of its first row within the job.
    first: usize,
    /// The rows that have no outcome yet.
    pending: Vec<usize>,
}
