//! A run of a job: from the phase that it is in, as far as it gets now.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use dipmo_domain::{Coded as _, Destination, StoreError};
use dipmo_outbox::{Delivery, Ending, Job, JobPhase, JobStep, JobWork, Published};

use tokio::time::sleep;

use super::Once;
use super::load::Load;
use super::sending::{Sending, Setback};
use super::slot::{Slot, Trouble};
use crate::options::Company;
use crate::record;

/// How long a job is left alone when Kafka does not do what it is asked.
const REST: Duration = Duration::from_secs(1);

/// A job that is left because the engine ends: nobody waits so long here, and whoever comes next has it
/// at once.
const LEFT: JobStep = JobStep::Wait(REST);

/// How long an abort may take at the end: less than what a run has that is told that its end is due.
const MOMENT: Duration = Duration::from_millis(400);

/// A job that is gone on with.
pub(super) struct Run<'a> {
    once: &'a Once,
    work: &'a dyn JobWork,
    job: Job,
    ending: Ending,
}

impl<'a> Run<'a> {
    pub(super) fn new(once: &'a Once, work: &'a dyn JobWork) -> Self {
        Self { once, work, job: work.job(), ending: work.ending() }
    }

    pub(super) async fn go_on(&self) -> Result<JobStep, StoreError> {
        let Destination::Kafka { topic } = &self.job.destination else {
            self.work.release(None).await?;
            return Ok(JobStep::Ended);
        };
        let slot = match (self.job.phase, &self.job.remote) {
            (JobPhase::Ended, _) => return Ok(JobStep::Ended),
            _ if self.ending.is_begun() => return Ok(LEFT),
            (JobPhase::Made | JobPhase::Given, Some(name)) => {
                match self.take_over(name, topic).await? {
                    ControlFlow::Continue(slot) => slot,
                    ControlFlow::Break(step) => return Ok(step),
                }
            }
            // A job that was made has a slot; without one there is nothing that could take effect.
            (JobPhase::Sealed | JobPhase::Made | JobPhase::Given, _) => {
                match self.in_time(self.once.slots.take(self.job.id)).await {
                    None => return Ok(LEFT),
                    Some(Ok(slot)) => slot,
                    Some(Err(trouble)) => return Ok(self.later(&trouble)),
                }
            }
        };
        if self.job.phase == JobPhase::Sealed {
            self.work.made(slot.name()).await?;
        }
        self.send(slot, topic).await
    }

    /// Takes the slot of a job over that somebody left, or we ourselves after trouble; breaks when the
    /// job is over by that.
    async fn take_over(
        &self,
        name: &str,
        topic: &str,
    ) -> Result<ControlFlow<JobStep, Slot>, StoreError> {
        if self.work.units(None, 1).await?.units.is_empty() {
            // Nothing hangs on the slot any more, and it may serve another job.
            return Ok(ControlFlow::Break(JobStep::Ended));
        }
        let slot = match self.in_time(self.once.slots.open(name, Company::Shared)).await {
            None => return Ok(ControlFlow::Break(LEFT)),
            Some(Ok(slot)) => slot,
            Some(Err(trouble)) => return Ok(ControlFlow::Break(self.later(&trouble))),
        };
        let given = self.job.phase == JobPhase::Given;
        let asking = async { if given { slot.last_committed(topic).await } else { Ok(None) } };
        let Some(committed) = self.in_time(asking).await else {
            return Ok(ControlFlow::Break(LEFT));
        };
        match committed {
            Ok(marker) if marker == Some(self.job.id) => {
                self.once.metrics.transactions(|it| it.found_committed += 1);
                self.say("its transaction was committed: nothing is sent again");
                self.answer_for_all().await?;
                self.once.slots.put_back(slot);
                Ok(ControlFlow::Break(JobStep::Ended))
            }
            Ok(_) => {
                self.once.metrics.transactions(|it| it.found_open += 1);
                self.say("its transaction was not committed, and never will be: it begins anew");
                Ok(ControlFlow::Continue(slot))
            }
            Err(trouble) => Ok(ControlFlow::Break(self.later(&trouble))),
        }
    }

    /// Sends what is left in the job as one transaction, without what is refused.
    async fn send(&self, mut slot: Slot, topic: &str) -> Result<JobStep, StoreError> {
        let options = &self.once.options;
        let mut company = slot.company();
        loop {
            let load = Load::read(self.work, &self.once.sizes).await?;
            if load.put_blocked_back(self.work).await? {
                continue;
            }
            if load.is_empty() {
                self.once.slots.put_back(slot);
                return Ok(JobStep::Ended);
            }
            if self.ending.is_begun() {
                return Ok(LEFT);
            }
            let began = Instant::now();
            let sending = Sending {
                slot: &slot,
                load: &load,
                message_id_prefix: &options.message_id_prefix,
                metrics: &self.once.metrics,
                within: options.open_for(),
                ending: &self.ending,
            };
            let Some(sent) = self.in_time(sending.run(self.job.id, topic)).await else {
                return Ok(self.leave(&slot).await);
            };
            match sent {
                Ok(()) => return self.commit(slot, load, began).await,
                Err(Setback::Ending) => return Ok(self.leave(&slot).await),
                Err(Setback::Trouble(trouble)) => return Ok(self.later(&trouble)),
                Err(Setback::InCompany) => company = Company::Alone,
                Err(Setback::Answers(answers)) => load.answer(self.work, answers).await?,
            }
            // The same name anew, which aborts what is open. librdkafka can abort as well, but after a
            // refused record it was seen to send nothing more to that partition.
            slot = match self.in_time(self.once.slots.open(slot.name(), company)).await {
                None => return Ok(LEFT),
                Some(Ok(slot)) => slot,
                Some(Err(trouble)) => return Ok(self.later(&trouble)),
            };
            self.once.metrics.transactions(|it| it.aborted += 1);
        }
    }

    /// Commits what was sent, and answers for it.
    async fn commit(&self, slot: Slot, load: Load, began: Instant) -> Result<JobStep, StoreError> {
        // From here on only Kafka knows what becomes of it.
        if self.work.job().phase == JobPhase::Made {
            self.work.given().await?;
        }
        match self.in_time(slot.commit()).await {
            // It may be committed yet: whoever goes on with the job takes the slot over, and asks.
            None => return Ok(LEFT),
            Some(Err(trouble)) => return Ok(self.later(&trouble)),
            Some(Ok(())) => {}
        }
        let metrics = &self.once.metrics;
        metrics.transactions(|it| it.committed += 1);
        metrics.committed(load.units().map(bytes), began.elapsed());
        load.delivered(self.work).await?;
        self.once.slots.put_back(slot);
        Ok(JobStep::Ended)
    }

    /// Answers for all units that are left: they are committed.
    async fn answer_for_all(&self) -> Result<(), StoreError> {
        let mut next = Some(None);
        while let Some(behind) = next {
            let page = self.work.units(behind, self.once.sizes.page(&self.job.destination)).await?;
            next = page.next.map(Some);
            let answers = vec![Some(Published::delivered()); page.units.len()];
            self.work.answer(page.units, answers).await?;
        }
        Ok(())
    }

    /// Waits for Kafka; `None` when nobody is to wait any more. What is under way then can do no harm:
    /// whoever goes on with the job fences it off.
    async fn in_time<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = call => Some(done),
            () = self.ending.due() => None,
        }
    }

    /// Leaves the job as it is because the engine ends. Readers do not stand still until somebody goes on
    /// with it where the transaction can be aborted quickly; whether it is makes no difference else.
    async fn leave(&self, slot: &Slot) -> JobStep {
        let out_of_time = async {
            self.ending.due().await;
            sleep(MOMENT).await;
        };
        tokio::select! {
            biased;
            _ = slot.abort() => {}
            () = out_of_time => {}
        }
        LEFT
    }

    /// What trouble means that is about no record: no attempt is counted, and the job stays as it is.
    fn later(&self, trouble: &Trouble) -> JobStep {
        let Trouble { code, error } = trouble;
        self.once.metrics.failed(error.code());
        let (job, destination) = (self.job.id, &self.job.destination);
        self.once.refusals.heard(destination, *code, error);
        tracing::warn!(%job, %destination, code = %error.code(), "a transaction waits: {error}");
        JobStep::Wait(REST)
    }

    fn say(&self, what: &str) {
        let (job, destination) = (self.job.id, &self.job.destination);
        tracing::info!(%job, %destination, "a transaction was left: {what}");
    }
}

fn bytes(unit: &Delivery) -> usize {
    record::key(unit).len() + unit.payload.as_str().len()
}
