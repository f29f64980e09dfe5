//! `GET /reports/ageing`: how old what waits is.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{Ageing, AgeingRow, ByAge, Waits};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Nothing;
use super::operations::SideWord;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// All that has not ended, by status and age.
#[derive(Serialize, ToSchema)]
#[schema(as = Ageing)]
pub(crate) struct AgeingView {
    /// The moment, by the database's clock.
    at: Moment,
    /// False when there is more than was counted: then the counts are at least so high. The oldest are counted first.
    complete: bool,
    rows: Vec<AgeingRowView>,
}

/// What stands in one way.
#[derive(Serialize, ToSchema)]
#[schema(as = AgeingRow)]
pub(crate) struct AgeingRowView {
    side: SideWord,
    /// Where it is to be delivered; null in the inbox.
    destination: Option<String>,
    /// `STATUS`.
    status: String,
    /// `held` behind the head of its key, or `parked` for a version that is missing.
    waits: Option<&'static str>,
    count: u64,
    ages: Ages,
    /// When the oldest came.
    oldest: Moment,
    oldest_age_seconds: f64,
}

/// How many of each age.
#[derive(Serialize, ToSchema)]
pub(crate) struct Ages {
    /// Younger than a minute.
    minute: u64,
    /// Younger than five minutes.
    five_minutes: u64,
    /// Younger than an hour.
    hour: u64,
    /// Younger than a day.
    day: u64,
    older: u64,
}

impl AgeingView {
    fn of(ageing: &Ageing) -> Self {
        let row = |row: &AgeingRow| AgeingRowView {
            side: row.side.into(),
            destination: (!row.queue.is_empty()).then(|| row.queue.clone()),
            status: row.status.clone(),
            waits: row.waits.map(Waits::as_str),
            count: row.count(),
            ages: Ages::of(row.ages),
            oldest: Moment(row.oldest),
            oldest_age_seconds: ageing.at.since(row.oldest).as_secs_f64(),
        };
        let rows = ageing.rows.iter().map(row).collect();
        Self { at: Moment(ageing.at), complete: ageing.complete, rows }
    }
}

impl Ages {
    const fn of([minute, five_minutes, hour, day, older]: ByAge) -> Self {
        Self { minute, five_minutes, hour, day, older }
    }
}

/// How old what waits is, by side, status and destination. Nothing that has ended is read.
#[utoipa::path(
    get,
    path = "/reports/ageing",
    tag = "reports",
    responses((status = 200, body = AgeingView))
)]
pub(crate) async fn report_ageing(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<AgeingView>, Problem> {
    Ok(Answer(AgeingView::of(&shared.store.ageing().await?)))
}
