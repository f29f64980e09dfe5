//! What is looked at, once for all checks. Each read is bounded.

use std::time::Duration;

use dipmo_domain::{Coded as _, StoreError, Timestamp};
use dipmo_store::admin::{
    Ageing, FailureGroup, InstanceRow, LaneLine, Operable, Operation, Page, Soundness, TokenRow,
};
use dipmo_store::schema::Status;
use dipmo_store::{Backlog, Incident, Tables};

use super::expected::Expected;
use super::line::Line;
use crate::routes::report_slo::stand;
use crate::slo::{Promises, Standing};

/// So many instances, groups, operations and incidents are looked at.
const MOST: u32 = 500;
/// An instance tells of itself every ten seconds: who has not for so long is gone, or cannot.
const SILENT: Duration = Duration::from_secs(60);

/// An answer, or why there is none.
pub(super) type Seen<T> = Result<T, String>;

/// All that was looked at.
pub(crate) struct Facts {
    /// Now, by the database's clock.
    pub(super) now: Timestamp,
    pub(super) expected: Option<Expected>,
    pub(super) schema: Seen<Status>,
    pub(super) fleet: Seen<Vec<InstanceRow>>,
    pub(super) backlog: Seen<Backlog>,
    pub(super) ageing: Seen<Ageing>,
    pub(super) groups: Seen<Vec<FailureGroup>>,
    pub(super) lanes: Seen<Vec<LaneLine>>,
    pub(super) operations: Seen<Vec<Operation>>,
    pub(super) incidents: Seen<Vec<Incident>>,
    pub(super) horizon: Seen<Option<Timestamp>>,
    pub(super) soundness: Seen<Soundness>,
    pub(super) tokens: Seen<Vec<TokenRow>>,
    /// Where promises stand; none where nothing is promised.
    pub(super) promises: Seen<Vec<Standing>>,
}

impl Facts {
    /// Looks at everything. What does not answer is known to be unknown.
    pub(crate) async fn gather(
        store: &dyn Operable,
        now: Timestamp,
        expected: Option<Expected>,
        promises: Option<&Promises>,
    ) -> Self {
        Self {
            now,
            expected,
            schema: seen(store.status(&Tables::default()).await),
            fleet: seen(store.fleet(MOST).await),
            backlog: seen(store.backlog().await),
            ageing: seen(store.ageing().await),
            groups: seen(store.failure_groups(MOST).await),
            lanes: seen(store.lanes().await),
            operations: seen(store.operations(Page::first(MOST)).await.map(|it| it.rows)),
            incidents: seen(store.incidents(MOST).await),
            horizon: seen(store.dedupe_horizon().await),
            soundness: seen(store.soundness().await),
            tokens: seen(store.tokens().await),
            promises: match promises {
                Some(promises) => seen(stand(store, now, promises).await),
                None => Ok(Vec::new()),
            },
        }
    }

    /// Nobody answered anything.
    #[cfg(test)]
    pub(super) fn unseen() -> Self {
        fn nothing<T>() -> Seen<T> {
            Err("store-unreachable".to_owned())
        }
        Self {
            now: Timestamp::EPOCH,
            expected: None,
            schema: nothing(),
            fleet: nothing(),
            backlog: nothing(),
            ageing: nothing(),
            groups: nothing(),
            lanes: nothing(),
            operations: nothing(),
            incidents: nothing(),
            horizon: nothing(),
            soundness: nothing(),
            tokens: nothing(),
            promises: nothing(),
        }
    }

    /// The instances that were heard of lately.
    pub(super) fn alive(&self) -> Seen<Vec<&InstanceRow>> {
        let fleet = self.fleet.as_ref().map_err(Clone::clone)?;
        Ok(fleet.iter().filter(|row| self.now.since(row.seen_at) <= SILENT).collect())
    }
}

/// The line of a check, or why there is no telling.
pub(super) fn told<T>(check: &'static str, seen: &Seen<T>, judge: impl FnOnce(&T) -> Line) -> Line {
    match seen {
        Ok(seen) => judge(seen),
        Err(why) => {
            Line::unknown(check, format!("could not be told: {why}"), "dipmo check --connect")
        }
    }
}

/// What the store says of a failure can hold what is in its tables: its code tells enough.
fn seen<T>(answer: Result<T, StoreError>) -> Seen<T> {
    answer.map_err(|error| error.code().to_string())
}
