//! One call: through the gate, within its time, and counted.

use dipmo_domain::{Destination, Failure};
use dipmo_outbox::Published;
use dipmo_salesforce::{Class, codes};
use tokio::time::{Instant, timeout, timeout_at};

use super::chains::Write;
use super::plan::Batch;
use crate::apis::Outcome;
use crate::org::OrgContext;
use crate::resilience::How;
use crate::verdict::{self, Verdict};

/// Makes the calls of a slice.
pub(super) struct Caller<'a> {
    pub(super) org: &'a OrgContext,
    pub(super) destination: &'a Destination,
    /// No call is begun later.
    pub(super) until: Instant,
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

impl Caller<'_> {
    pub(super) async fn call(&self, batch: &Batch, writes: &[&Write]) -> Came {
        let gate = &*self.org.gate;
        let Ok(Ok(pass)) = timeout_at(self.until, gate.enter()).await else {
            return Came::Not(Published::NotTried);
        };
        let meter = self.org.meter(batch.via.api());
        let (time, began) = (self.org.call_time(), Instant::now());
        let ended = timeout(time, batch.via.call(self.org, writes)).await;
        let took = began.elapsed();
        meter.called(took);
        let verdict = match ended {
            Ok(Ok(outcomes)) => {
                pass.ended(How::Ok);
                return Came::Answered(outcomes);
            }
            Ok(Err(error)) => {
                pass.ended(verdict::how(&error));
                meter.call_failed(error.code());
                let left = time.saturating_sub(took);
                let verdict = verdict::call(&error, self.destination, left, &gate.readiness());
                if error.class() == Class::Permanent {
                    return Came::RefusedAsAWhole(verdict.answer);
                }
                verdict
            }
            Err(_) => {
                pass.ended(How::Failed);
                let code = codes::TIMEOUT.as_str();
                meter.call_failed(code);
                let words =
                    format!("{}: no answer within {time:?}; it may have arrived", self.destination);
                verdict::unanswered(
                    Failure::new(code, &words),
                    time.saturating_sub(took),
                    &gate.readiness(),
                )
            }
        };
        let Verdict { answer, effect } = verdict;
        effect.on(gate);
        Came::Not(answer)
    }
}
