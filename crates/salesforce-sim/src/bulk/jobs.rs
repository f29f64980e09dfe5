//! All jobs of the org.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use super::disk::Disk;
use super::job::{Job, NewJob};
use super::spec::Spec;
use crate::data::url::version_path;
use crate::org::id::{IdText, RecordId};
use crate::schema::{ObjectId, Schema};

/// Salesforce forgets a job a week after its end.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Jobs that one answer of the list shows.
const JOBS_ON_A_PAGE: usize = 1_000;

/// The jobs that were made and not deleted.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    kept: Mutex<Kept>,
    /// Where the uploads are that are too large for memory.
    disk: Arc<Disk>,
}

#[derive(Debug, Default)]
struct Kept {
    made: u64,
    by_id: BTreeMap<Arc<str>, Arc<Job>>,
}

/// Who makes a job, when and how.
#[derive(Debug)]
pub(super) struct Maker {
    pub(super) user: RecordId,
    pub(super) user_id: String,
    pub(super) version: u32,
    pub(super) now: Timestamp,
}

impl Jobs {
    /// Forgets all jobs. When this returns, none of them writes any more.
    pub(crate) fn clear(&self) {
        let jobs = std::mem::take(&mut self.kept().by_id);
        for job in jobs.values() {
            job.progress().abandon();
        }
    }

    /// Every job as a poll shows it, in the order in which they were made.
    pub(crate) fn summaries(&self, schema: &Schema) -> Vec<Json> {
        self.all().iter().map(|job| job.details(schema)).collect()
    }

    /// Waits for the end of a job and shows it; `None` where there is no such job.
    pub(crate) async fn end_of(&self, id: &str, schema: &Schema, now: Timestamp) -> Option<Json> {
        let job = self.find(id, now)?;
        job.over().await;
        Some(job.details(schema))
    }

    pub(super) fn make(&self, spec: Spec, maker: Maker) -> Arc<Job> {
        let mut kept = self.kept();
        kept.made += 1;
        let id: Arc<str> = IdText::new(*b"750", kept.made).as_str().into();
        let job = Arc::new(Job::new(NewJob {
            number: kept.made,
            id: Arc::clone(&id),
            spec,
            version: maker.version,
            user: maker.user,
            user_id: maker.user_id,
            now: maker.now,
        }));
        kept.by_id.insert(id, Arc::clone(&job));
        job
    }

    /// The object that a job is about, for rules that name it.
    pub(crate) fn object_of(&self, id: &str, now: Timestamp) -> Option<ObjectId> {
        self.find(id, now).map(|job| job.spec.object)
    }

    /// The job with an id of 15 or 18 characters, unless it is gone.
    pub(super) fn find(&self, id: &str, now: Timestamp) -> Option<Arc<Job>> {
        let mut kept = self.kept();
        kept.forget_old(now);
        kept.by_id.get(IdText::parse(id)?.as_str()).cloned()
    }

    /// Forgets a job. When this returns, it writes no more.
    pub(super) fn remove(&self, job: &Job) {
        self.kept().by_id.remove(&job.id);
        job.progress().abandon();
    }

    /// A page of the list of jobs, from the one at `from` on.
    pub(super) fn page(&self, from: usize, version: u32, schema: &Schema, now: Timestamp) -> Json {
        self.kept().forget_old(now);
        let jobs = self.all();
        let page = jobs.iter().skip(from).take(JOBS_ON_A_PAGE);
        let records: Vec<Json> = page
            .map(|job| {
                let mut summary = job.summary(schema);
                summary["jobType"] = json!("V2Ingest");
                summary
            })
            .collect();
        let next = from.saturating_add(JOBS_ON_A_PAGE);
        let next_url = (next < jobs.len())
            .then(|| format!("{}/jobs/ingest?queryLocator={next}", version_path(version)));
        json!({ "done": next_url.is_none(), "records": records, "nextRecordsUrl": next_url })
    }

    pub(super) fn disk(&self) -> &Arc<Disk> {
        &self.disk
    }

    fn all(&self) -> Vec<Arc<Job>> {
        let mut jobs: Vec<_> = self.kept().by_id.values().cloned().collect();
        jobs.sort_by_key(|job| job.number);
        jobs
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn forget_old(&mut self, now: Timestamp) {
        self.by_id.retain(|_, job| {
            let progress = job.progress();
            !progress.state.is_over() || now.duration_since(progress.changed) < KEPT
        });
    }
}
