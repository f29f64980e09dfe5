//! `GET /throughput`: how much all instances do a second.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use dipmo_domain::Timestamp;
use dipmo_store::admin::{InstanceRow, MOST_ON_A_PAGE};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lists::Nothing;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// So many instances are asked for.
pub(crate) const INSTANCES: u32 = MOST_ON_A_PAGE;
/// An instance tells every ten seconds: what one told longer ago says nothing of now.
const LATELY: Duration = Duration::from_secs(30);

/// How much is done, over all instances.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Throughput {
    /// The moment, by the database's clock.
    at: Moment,
    /// How many instances told of it in the last 30 seconds.
    instances: usize,
    /// Null when none did.
    per_second: Option<Rates>,
}

/// How much a second, since each instance told last: ten seconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub(crate) struct Rates {
    /// Messages that sources stored.
    received: f64,
    /// Messages that ended.
    processed: f64,
    /// Units that were acknowledged.
    dispatched: f64,
    /// Messages and units that failed for good.
    failed: f64,
}

/// The part of what an instance tells that this is made of.
#[derive(Deserialize)]
struct Report {
    per_second: Option<Rates>,
}

impl Throughput {
    pub(crate) fn of(now: Timestamp, fleet: &[InstanceRow]) -> Self {
        let lately = fleet.iter().filter(|row| now.since(row.seen_at) <= LATELY);
        let told = lately.filter_map(|row| {
            serde_json::from_str::<Report>(row.report.report.as_str()).ok()?.per_second
        });
        let told: Vec<Rates> = told.collect();
        // The sum of none would be -0.
        let sum =
            |of: fn(&Rates) -> f64| told.iter().map(of).fold(0.0, |all, it| all + it.max(0.0));
        let all = Rates {
            received: sum(|it| it.received),
            processed: sum(|it| it.processed),
            dispatched: sum(|it| it.dispatched),
            failed: sum(|it| it.failed),
        };
        let per_second = (!told.is_empty()).then_some(all);
        Self { at: Moment(now), instances: told.len(), per_second }
    }
}

/// How much is received, processed, dispatched and failed a second, over all instances.
#[utoipa::path(
    get,
    path = "/throughput",
    tag = "reports",
    responses((status = 200, body = Throughput))
)]
pub(crate) async fn show_throughput(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<Throughput>, Problem> {
    let fleet = shared.store.fleet(INSTANCES).await?;
    Ok(Answer(Throughput::of(shared.store.now().await?, &fleet)))
}
