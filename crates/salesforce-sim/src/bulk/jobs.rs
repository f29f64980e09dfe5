//! All jobs of the org.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use super::disk::Disk;
use super::job::{Job, Maker};
use super::spec::Spec;
use crate::data::url::version_path;
use crate::org::id::IdText;
use crate::refusal::Refusal;
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
    /// All that were ever made: no two jobs have the same id, whatever was reset between them.
    made: u64,
    epoch: u64,
    /// Those of the epoch, by whose numbers chance is drawn: after a reset it is the same again.
    numbered: u64,
    by_id: BTreeMap<Arc<str>, Arc<Job>>,
}

impl Jobs {
    /// Forgets the jobs of all other epochs.
    pub(crate) fn begin(&self, epoch: u64) {
        let mut kept = self.kept();
        for job in kept.by_id.values().filter(|job| job.epoch != epoch) {
            job.progress().abandon();
        }
        kept.by_id.retain(|_, job| job.epoch == epoch);
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

    /// A new job, unless the check of its epoch fails. It is asked while no reset can look for the
    /// jobs to forget: one that is made before that is found, and one after it is not made.
    pub(super) fn make(
        &self,
        spec: Spec,
        maker: Maker,
        check_epoch: impl FnOnce(u64) -> Result<(), Refusal>,
    ) -> Result<Arc<Job>, Refusal> {
        let mut kept = self.kept();
        check_epoch(maker.epoch)?;
        if kept.epoch != maker.epoch {
            (kept.epoch, kept.numbered) = (maker.epoch, 0);
        }
        kept.made += 1;
        kept.numbered += 1;
        let id: Arc<str> = IdText::new(*b"750", kept.made).as_str().into();
        let job = Arc::new(Job::new(kept.numbered, Arc::clone(&id), spec, maker));
        kept.by_id.insert(id, Arc::clone(&job));
        Ok(job)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::org::id::RecordId;

    fn make(jobs: &Jobs, epoch: u64, current: u64) -> Result<Arc<Job>, Refusal> {
        let schema = Schema::standard().unwrap();
        let spec = Spec::read(&json!({ "object": "Contact", "operation": "insert" }), &schema);
        let user = RecordId { object: ObjectId(0), serial: 1 };
        let now = Timestamp::UNIX_EPOCH;
        let maker = Maker { user, user_id: String::new(), version: 620, epoch, now };
        let gone = || Err(Refusal::not_found());
        jobs.make(spec.unwrap(), maker, |of| if of == current { Ok(()) } else { gone() })
    }

    #[test]
    fn a_reset_numbers_jobs_anew_and_gives_no_id_twice() {
        let jobs = Jobs::default();
        let before = [make(&jobs, 0, 0).unwrap(), make(&jobs, 0, 0).unwrap()];
        assert_eq!(before.each_ref().map(|job| job.number), [1, 2]);
        // One may be made between the beginning of an epoch and the end of the reset.
        let early = make(&jobs, 1, 1).unwrap();
        jobs.begin(1);
        assert!(before.iter().all(|job| job.progress().state.is_over()));
        assert!(!early.progress().state.is_over());
        let later = make(&jobs, 1, 1).unwrap();
        assert_eq!((early.number, later.number), (1, 2));
        assert!(before.iter().all(|job| job.id != early.id && job.id != later.id));
        assert_eq!(jobs.all().len(), 2);
    }

    #[test]
    fn a_call_of_before_a_reset_makes_no_job() {
        let jobs = Jobs::default();
        assert!(make(&jobs, 0, 1).is_err());
        assert!(jobs.all().is_empty());
    }
}
