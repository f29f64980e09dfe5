//! How long what is done with is kept, and who drops it.

use std::sync::Arc;
use std::time::Duration;

use dipmo_config::Problems;
use dipmo_config::model::retention as model;
use dipmo_domain::{Month, StoreError, Timestamp};
use dipmo_store::Store;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::problem::invalid;

/// How often to look for something that is too old.
const EVERY: Duration = Duration::from_secs(3_600);
/// Instances that start together do not look together.
const SPREAD: u64 = 60_000;
/// How many rows go at once where a store deletes rows.
const ROWS: u32 = 1_000;
/// The rest between two portions: others want the database too.
const REST: Duration = Duration::from_millis(200);

/// How long to keep what is done with; nothing said is for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Retention {
    history: Option<Duration>,
    message_ids: Option<Duration>,
}

/// What the file says.
pub(super) fn plan(section: Option<&model::Retention>, problems: &mut Problems) -> Retention {
    let Some(model::Retention { place: _, history, message_ids }) = section else {
        return Retention::default();
    };
    if let (Some(history), Some(ids)) = (history, message_ids)
        && ids.value < history.value
    {
        let message = "ids are kept for a shorter time than the messages that have them";
        let hint = "a duplicate is recognised by its id: keep ids at least as long as the history";
        problems.push(invalid(ids.place, message).hint(hint).also(history.place, "the history"));
    }
    Retention { history: history.map(|it| it.value), message_ids: message_ids.map(|it| it.value) }
}

impl Retention {
    /// True when nothing is ever dropped.
    pub(super) const fn is_for_ever(&self) -> bool {
        self.history.is_none() && self.message_ids.is_none()
    }

    /// Drops what is too old until it is stopped. Two instances that do the same do no harm: each takes a
    /// portion, and a month goes once.
    pub(super) async fn run(self, store: Arc<dyn Store>, stop: CancellationToken) {
        let mut pause = Duration::from_millis(fastrand::u64(..SPREAD));
        while rests(pause, &stop).await {
            pause = EVERY + Duration::from_millis(fastrand::u64(..SPREAD));
            if let Err(error) = self.round(&store, &stop).await {
                tracing::warn!(%error, "what is too old could not be dropped");
            }
        }
    }

    /// Portion by portion, until nothing is left.
    async fn round(
        &self,
        store: &Arc<dyn Store>,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let now = store.now().await?;
        if let Some(month) = self.history.map(|kept| first_month(now, kept)) {
            let mut rows = 0;
            loop {
                let pruned = store.drop_before(month, ROWS).await?;
                rows += pruned.rows;
                if !pruned.more || !rests(REST, stop).await {
                    break;
                }
            }
            if rows > 0 {
                tracing::info!(rows, before = %month, "history was dropped");
            }
        }
        if let Some(time) = self.message_ids.map(|kept| before(now, kept)) {
            while store.forget_ids_before(time, ROWS).await?.more && rests(REST, stop).await {}
        }
        Ok(())
    }
}

/// Waits; false when it was stopped.
async fn rests(pause: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        biased;
        () = stop.cancelled() => false,
        () = sleep(pause) => true,
    }
}

fn before(now: Timestamp, kept: Duration) -> Timestamp {
    let micros = i64::try_from(kept.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(micros)).unwrap_or(Timestamp::EPOCH)
}

/// The first month that is kept: all of what is younger is in it or behind it.
fn first_month(now: Timestamp, kept: Duration) -> Month {
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
