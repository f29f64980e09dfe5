//! Whoever has the duty: one instance of all, which drops what is too old and does what people want of archives.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Coded as _, Month, Timestamp};
use dipmo_store::admin::{DutyLease, Operable, RETENTION};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{ArchiveError, Folder};

/// How often to look for something that is too old.
const EVERY: Duration = Duration::from_secs(3_600);
/// How soon to try again what went wrong.
const AGAIN: Duration = Duration::from_secs(60);
/// Instances that start together do not look together.
const SPREAD: u64 = 60_000;
/// How often to look whether somebody wants something, or has lost the duty.
const LOOK: Duration = Duration::from_secs(2);
/// How long the duty is ours without a word.
const LEASE: Duration = Duration::from_secs(60);
/// When a word is said, between two portions.
const WORD: Duration = Duration::from_secs(10);

/// How long to keep what is done with; nothing said is for ever.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Settled messages and intents, by whole months.
    pub history: Option<Duration>,
    /// The ids by which duplicates are recognised.
    pub message_ids: Option<Duration>,
    /// Where history goes before it is dropped.
    pub archive: Option<Folder>,
}

impl Policy {
    /// True when there is nothing to do, ever.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.history.is_none() && self.message_ids.is_none() && self.archive.is_none()
    }
}

/// Keeps to a policy, if it is elected.
pub struct Keeper {
    pub(crate) store: Arc<dyn Operable>,
    pub(crate) policy: Policy,
    owner: String,
}

/// A lease that is renewed between portions.
pub(crate) struct Held {
    pub(crate) lease: DutyLease,
    said: Instant,
}

impl Keeper {
    /// Of a policy, as an owner whose name nobody else has.
    #[must_use]
    pub const fn new(store: Arc<dyn Operable>, policy: Policy, owner: String) -> Self {
        Self { store, policy, owner }
    }

    /// Stands for election until it is stopped, and keeps to the policy while it is elected.
    pub async fn run(self, stop: CancellationToken) {
        let mut next = Instant::now() + Duration::from_millis(fastrand::u64(..SPREAD));
        loop {
            match self.store.take_duty(RETENTION, &self.owner, LEASE).await {
                Ok(Some(lease)) => {
                    tracing::info!(owner = self.owner, "history is kept by this instance");
                    let mut held = Held { lease, said: Instant::now() };
                    let served = self.serve(&mut held, &mut next, &stop).await;
                    if let Err(error) = served {
                        tracing::warn!(code = %error.code(), %error, "the duty to keep history was lost");
                    }
                    // It runs out by itself.
                    let _ = self.store.give_back_duty(&held.lease).await;
                }
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "nobody could be asked who keeps history"),
            }
            if !rests(LOOK, &stop).await {
                return;
            }
        }
    }

    /// Does what is due, until it is stopped or the duty is lost.
    async fn serve(
        &self,
        held: &mut Held,
        next: &mut Instant,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        while !stop.is_cancelled() {
            let duty = self.store.renew_duty(&held.lease, LEASE).await?;
            held.said = Instant::now();
            unless_fenced(self.wishes(held, stop).await)?;
            if duty.asked_at.is_some() || Instant::now() >= *next {
                *next = Instant::now() + EVERY + Duration::from_millis(fastrand::u64(..SPREAD));
                let kept = self.round(held, stop).await;
                let trouble = kept.as_ref().err().map(|error| format!("{}: {error}", error.code()));
                if unless_fenced(kept)?.is_none() {
                    *next = Instant::now() + AGAIN;
                }
                if !stop.is_cancelled() {
                    let asked = duty.asked_at;
                    self.store.end_round(&held.lease, asked, trouble.as_deref()).await?;
                }
            }
            if !rests(LOOK, stop).await {
                break;
            }
        }
        Ok(())
    }

    /// Says that the duty is still ours, where that is due; what it says about other things waits.
    pub(crate) async fn says(&self, held: &mut Held) -> Result<(), ArchiveError> {
        if held.said.elapsed() >= WORD {
            self.store.renew_duty(&held.lease, LEASE).await?;
            held.said = Instant::now();
        }
        Ok(())
    }
}

/// Only who lost the duty ends; everything else is told, and tried again.
fn unless_fenced<T>(done: Result<T, ArchiveError>) -> Result<Option<T>, ArchiveError> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.is_fenced() => Err(error),
        Err(error) => {
            tracing::warn!(code = %error.code(), %error, "what is too old could not be dropped");
            Ok(None)
        }
    }
}

/// Waits; false when it was stopped.
pub(crate) async fn rests(pause: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        biased;
        () = stop.cancelled() => false,
        () = sleep(pause) => true,
    }
}

/// So long before now.
pub(crate) fn before(now: Timestamp, kept: Duration) -> Timestamp {
    let micros = i64::try_from(kept.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(micros)).unwrap_or(Timestamp::EPOCH)
}

/// The first month that is kept: all of what is younger is in it or behind it.
pub(crate) fn first_month(now: Timestamp, kept: Duration) -> Month {
    Month::of(before(now, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_goes_when_all_of_it_is_too_old() {
        let day = Duration::from_secs(24 * 3_600);
        let now = Timestamp::from_rfc3339("2026-04-15T12:00:00Z").unwrap();
        assert_eq!(first_month(now, day * 14), Month::new(2026, 4).unwrap());
        assert_eq!(first_month(now, day * 15), Month::new(2026, 3).unwrap());
        assert_eq!(before(now, day), Timestamp::from_rfc3339("2026-04-14T12:00:00Z").unwrap());
    }
}
