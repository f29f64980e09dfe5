//! One call: through the gate, within its time, and counted.

use dipmo_domain::{Destination, Failure};
use dipmo_outbox::Published;
use dipmo_salesforce::{Class, codes};
use tokio::time::{Duration, Instant, sleep};

use super::chains::Write;
use super::plan::Batch;
use super::time::Time;
use crate::apis::Outcome;
use crate::org::OrgContext;
use crate::resilience::{How, Pass};
use crate::verdict::{self, Verdict};

/// Makes the calls of a slice.
pub(super) struct Caller<'a> {
    pub(super) org: &'a OrgContext,
    pub(super) destination: &'a Destination,
    pub(super) time: Time<'a>,
}

/// What became of a call.
pub(super) enum Came {
    /// An outcome for each of its writes.
    Answered(Vec<Outcome>),
    /// All of it was refused for good: smaller calls tell because of which of its writes.
    RefusedAsAWhole(Published),
    /// This is the answer for all of its writes.
    Not(Published),
}

/// A rest of time that is short enough to be waited for.
const SHORT: Duration = Duration::from_millis(50);

impl Caller<'_> {
    /// Makes the call if the gate lets it pass in time, and makes so what it means for the gate.
    pub(super) async fn call(&self, batch: &Batch, writes: &[&Write]) -> Came {
        let gate = &*self.org.gate;
        let Some(pass) = self.enter().await else { return Came::Not(Published::NotTried) };
        let meter = self.org.meter(batch.via.api());
        let (time, began) = (self.org.call_time(), Instant::now());
        let ended = self.time.of_a_call(time, batch.via.call(self.org, writes)).await;
        let took = began.elapsed();
        meter.called(took);
        let failed = match ended {
            Some(Ok(outcomes)) => {
                pass.ended(How::Ok);
                return Came::Answered(outcomes);
            }
            Some(Err(error)) => {
                pass.ended(verdict::how(&error));
                meter.call_failed(error.code());
                Some(error)
            }
            None => {
                pass.ended(How::Failed);
                meter.call_failed(codes::TIMEOUT.as_str());
                None
            }
        };
        let left = rest(time.saturating_sub(took)).await;
        if failed.is_none() && self.time.was_cut_short() {
            let failure = self.timed_out(took);
            return Came::Not(Published::Unanswered { failure, after: left });
        }
        let Verdict { answer, effect } = match &failed {
            Some(error) => verdict::call(error, self.destination, left, &gate.readiness()),
            None => verdict::unanswered(self.timed_out(took), left, &gate.readiness()),
        };
        effect.on(gate);
        if failed.is_some_and(|error| error.class() == Class::Permanent) {
            return Came::RefusedAsAWhole(answer);
        }
        Came::Not(answer)
    }

    async fn enter(&self) -> Option<Pass> {
        self.time.before_a_call(self.org.gate.enter()).await?.ok()
    }

    fn timed_out(&self, took: Duration) -> Failure {
        let words = format!("{}: no answer in {took:.0?}; it may have arrived", self.destination);
        Failure::new(codes::TIMEOUT.as_str(), &words)
    }
}

/// Waits for the end of a time that is almost over: whoever is told to come back in a moment has no
/// policy to tell him when.
async fn rest(left: Duration) -> Duration {
    if left > SHORT {
        return left;
    }
    sleep(left).await;
    Duration::ZERO
}
