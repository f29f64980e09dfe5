//! A call about a job: through the gate, counted, and judged by what went wrong.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Destination, Failure, SalesforceApi, StoreError};
use dipmo_outbox::{Ending, JobId, JobPhase, JobStep, JobWork, Readiness};
use dipmo_salesforce::{Class, Error, codes};
use tokio::time::Instant;

use crate::metrics::Meter;
use crate::org::{OrgContext, parts};
use crate::resilience::{Gate, Held, How, Pass};
use crate::verdict::{self, Effect};

/// A job that is gone on with.
pub(super) struct Run<'a> {
    pub(super) org: &'a OrgContext,
    pub(super) work: &'a dyn JobWork,
    pub(super) meter: Arc<Meter>,
    pub(super) destination: Destination,
    /// When nobody goes on with it here any more.
    pub(super) ending: Ending,
    job: JobId,
}

/// Why a call brought nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It was not made.
    Held(Held),
    /// It failed.
    Failed(Error),
    /// It was not made, or is not waited for any more, because the engine ends.
    Ending,
}

/// How long a job waits that only a person can help.
const STOPPED: Duration = Duration::from_secs(60);

impl<'a> Run<'a> {
    pub(super) fn new(org: &'a OrgContext, work: &'a dyn JobWork) -> Self {
        let job = work.job();
        let meter = org.meter(SalesforceApi::BulkV2);
        Self { org, work, meter, destination: job.destination, ending: work.ending(), job: job.id }
    }

    /// Makes a call when the gate lets it pass.
    pub(super) async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Trouble> {
        let pass = self.enter().await?;
        self.call_with(pass, call).await
    }

    /// The same for a call that takes nothing of the allowance of jobs.
    pub(super) async fn call_beside_jobs<T>(
        &self,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Trouble> {
        let pass = self.pass(&self.org.gate).await?;
        self.call_with(pass, call).await
    }

    pub(super) async fn enter(&self) -> Result<Pass, Trouble> {
        self.pass(&self.org.bulk_gate).await
    }

    async fn pass(&self, gate: &Gate) -> Result<Pass, Trouble> {
        tokio::select! {
            biased;
            () = self.ending.begun() => Err(Trouble::Ending),
            pass = gate.enter() => pass.map_err(Trouble::Held),
        }
    }

    /// Makes a call that the gate has let pass. At the end of the engine it is dropped wherever it is:
    /// whoever goes on with the job asks what became of it.
    pub(super) async fn call_with<T>(
        &self,
        pass: Pass,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Trouble> {
        let began = Instant::now();
        let answer = tokio::select! {
            biased;
            answer = call => answer,
            () = self.ending.due() => return Err(Trouble::Ending),
        };
        self.meter.called(began.elapsed());
        match answer {
            Ok(answer) => {
                pass.ended(How::Ok);
                Ok(answer)
            }
            Err(error) => {
                pass.ended(how(&error));
                self.meter.call_failed(error.code());
                Err(Trouble::Failed(error))
            }
        }
    }

    /// What trouble means for the destination, made so; and when to go on with the job, which stays
    /// as it is. What is refused for good would be refused for ever, so that a person is called.
    pub(super) fn wait_after(&self, trouble: Trouble) -> JobStep {
        let lasting = self.lasting(&trouble);
        match trouble {
            Trouble::Held(held) => JobStep::Wait(held.after.unwrap_or(STOPPED)),
            Trouble::Ending => Self::for_the_next(),
            Trouble::Failed(error) => {
                self.log(&error);
                lasting.unwrap_or_else(|| self.effect_of(&error)).on(&self.org.bulk_gate);
                let wait = self.next_wait();
                JobStep::Wait(error.retry_after().map_or(wait, |after| after.max(wait)))
            }
        }
    }

    /// Nobody waits here any more: whoever has the lanes next goes on at once.
    pub(super) const fn for_the_next() -> JobStep {
        JobStep::Wait(Duration::ZERO)
    }

    /// The same before the job is given; but where only jobs have to wait, and its units need not be
    /// in one, they leave it. What is open at Salesforce then is needed by nobody.
    pub(super) async fn wait_or_leave(&self, trouble: Trouble) -> Result<JobStep, StoreError> {
        if matches!(trouble, Trouble::Held(_)) && self.goes_without_job() {
            let step = self.leave().await?;
            if let Some(remote) = self.work.job().remote {
                self.abort(&remote).await;
            }
            return Ok(step);
        }
        Ok(self.wait_after(trouble))
    }

    /// Ends a job that was not closed, now or later. Nothing hangs on it: only who has its id stored
    /// would close it.
    pub(super) async fn abort(&self, remote: &str) {
        self.org.leftovers.add(remote);
        self.org.leftovers.sweep(self).await;
    }

    fn goes_without_job(&self) -> bool {
        let auto = parts(&self.destination).is_some_and(|(_, api, _)| api == SalesforceApi::Auto);
        auto && self.org.gate.readiness() == Readiness::Ready
            && self.org.bulk_gate.readiness() != Readiness::Ready
    }

    /// All units leave the job as if they had never been in it.
    pub(super) async fn leave(&self) -> Result<JobStep, StoreError> {
        self.work.release(None).await?;
        Ok(JobStep::Ended)
    }

    /// What trouble means for the destination where no other job of it would do better: whatever
    /// Salesforce refuses for good needs a person.
    pub(super) fn lasting(&self, trouble: &Trouble) -> Option<Effect> {
        let Trouble::Failed(error) = trouble else { return None };
        match self.effect_of(error) {
            // Somebody ended this one job.
            _ if is_over(error) => None,
            Effect::None if error.class() == Class::Permanent => {
                Some(Effect::Stop(verdict::call_failure(error, &self.destination)))
            }
            Effect::None | Effect::BackOff(..) => None,
            effect => Some(effect),
        }
    }

    /// The destination has to be left alone, and its units are not kept in a job meanwhile. First the
    /// destination, so that nothing of it is read before.
    pub(super) async fn give_back(&self, effect: Effect) -> Result<JobStep, StoreError> {
        effect.on(&self.org.bulk_gate);
        self.leave().await
    }

    /// What a failed call means for the destination.
    fn effect_of(&self, error: &Error) -> Effect {
        let gate = &self.org.bulk_gate;
        verdict::call(error, &self.destination, Duration::ZERO, &gate.readiness()).effect
    }

    /// How long the job is left alone now.
    pub(super) fn next_wait(&self) -> Duration {
        self.org.jobs.next_wait(self.job, &self.org.bulk)
    }

    /// The job is a phase further.
    pub(super) fn reached(&self, phase: JobPhase) {
        self.meter.job(phase);
        tracing::debug!(job = self.job.0, destination = %self.destination, phase = phase.as_str());
    }

    /// Nothing stands in its way any more.
    pub(super) fn moved(&self) {
        self.org.jobs.moved(self.job);
    }

    pub(super) fn ended(&self) {
        self.moved();
        self.reached(JobPhase::Ended);
    }

    /// A failure in the words of this job.
    pub(super) fn failure(&self, code: &str, remote: &str, message: &str) -> Failure {
        Failure::new(code, &format!("{}, job {remote}: {message}", self.destination))
    }

    /// The mapping is not what it was when the job was begun.
    pub(super) fn log_children(&self) {
        let (job, destination, object) = (self.job.0, &self.destination, &self.org.mapping.object);
        tracing::warn!(job, %destination, "the mapping of {object} has children by now, which no row of a job can have: its units are let go");
    }

    fn log(&self, error: &Error) {
        let (job, destination) = (self.job.0, &self.destination);
        tracing::warn!(job, %destination, code = error.code(), "{error}");
    }
}

/// Whether Salesforce knows nothing of a job any more. Others may have the same class: a question that
/// took too long says nothing about the job.
pub(super) fn is_gone(error: &Error) -> bool {
    error.status() == Some(404) && error.class() == Class::Unprocessed
}

/// Whether a job has ended, or was closed, by somebody else.
pub(super) fn is_over(error: &Error) -> bool {
    error.code() == "INVALIDJOBSTATE"
}

/// How a failed call counts for the health of the destination. An upload cannot be repeated as other
/// calls are, which says nothing about that.
fn how(error: &Error) -> How {
    let ours = [codes::UPLOAD_BROKEN_OFF.as_str(), "INVALID_SESSION_ID"].contains(&error.code());
    if ours { How::Refused } else { verdict::how(error) }
}
