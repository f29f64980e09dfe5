//! `GET /reports/slo`: what was promised, and what is left of the budget.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use dipmo_domain::Timestamp;
use dipmo_store::admin::{LONGEST_WINDOW, Objective, Operable};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Nothing;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;
use crate::slo::{Promises, Standing, standings};

/// What was promised, and how often it was kept.
#[derive(Serialize, ToSchema)]
#[schema(as = SloReport)]
pub(crate) struct SloView {
    /// The moment, by the database's clock.
    at: Moment,
    /// Over how long it is promised; null where nothing is.
    window_seconds: Option<u64>,
    /// Without any where the configuration promises nothing.
    objectives: Vec<ObjectiveView>,
}

/// One promise.
#[derive(Serialize, ToSchema)]
#[schema(as = SloObjective)]
pub(crate) struct ObjectiveView {
    /// `latency`, `delivered` or `processed`.
    objective: &'static str,
    /// How soon after its message was received something is to be delivered; null where it is not about that.
    within_seconds: Option<f64>,
    /// The share that is to go well.
    target: f64,
    /// How many went well, over the window.
    good: u64,
    /// Of how many.
    total: u64,
    /// The share that went well; null while nothing was counted.
    share: Option<f64>,
    /// The budget: how many of so many may go wrong.
    allowed: f64,
    /// How many went wrong.
    used: u64,
    /// The share of the budget that is left; below 0 when more went wrong than may, null while nothing was counted.
    left: Option<f64>,
    /// True when more went wrong than may.
    used_up: bool,
    /// How fast the budget was used up in the hour that runs and the one before: at 1 it lasts for the window. Null
    /// when nothing came.
    burn_1h: Option<f64>,
    /// The same of the hour that runs and the six before.
    burn_6h: Option<f64>,
    /// When it will be used up, at the rate of `burn_6h`; null when it lasts.
    used_up_in_seconds: Option<u64>,
    /// The first hour of the window in which something was counted.
    since: Option<Moment>,
}

impl ObjectiveView {
    fn of(standing: &Standing) -> Self {
        let Standing { promise, kept, since, burns: [burn_1h, burn_6h], lasts } = standing.clone();
        let (objective, within) = words(promise.objective);
        Self {
            objective,
            within_seconds: within.map(|it| it.as_secs_f64()),
            target: promise.target.share(),
            good: kept.good,
            total: kept.total,
            share: kept.share(),
            allowed: kept.allowed(promise.target),
            used: kept.bad(),
            left: kept.left(promise.target),
            used_up: standing.is_overspent(),
            burn_1h,
            burn_6h,
            used_up_in_seconds: lasts.map(|it| it.as_secs()),
            since: since.map(Moment),
        }
    }
}

/// What an objective is called, and its time.
pub(crate) const fn words(objective: Objective) -> (&'static str, Option<Duration>) {
    match objective {
        Objective::Latency { within } => ("latency", Some(within)),
        Objective::Delivered => ("delivered", None),
        Objective::Processed => ("processed", None),
    }
}

/// So far back is read at least: rates of burning are made of the last six whole hours, whatever the window is.
const BURNS_BY: Duration = Duration::from_secs(7 * 3_600);

/// Where promises stand, by all that was counted.
pub(crate) async fn stand(
    store: &dyn Operable,
    now: Timestamp,
    promises: &Promises,
) -> Result<Vec<Standing>, dipmo_domain::StoreError> {
    let back = i64::try_from(promises.window.max(BURNS_BY).min(LONGEST_WINDOW).as_micros())
        .unwrap_or(i64::MAX);
    let since = Timestamp::from_micros(now.as_micros().saturating_sub(back));
    let hours = store.slo_hours(since.unwrap_or(Timestamp::EPOCH)).await?;
    Ok(standings(promises, now, &hours))
}

/// What the configuration promises, how often it was kept, and what is left of the budget. All instances count; each adds
/// what it counted every ten seconds.
#[utoipa::path(
    get,
    path = "/reports/slo",
    tag = "reports",
    responses((status = 200, body = SloView))
)]
pub(crate) async fn report_slo(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<SloView>, Problem> {
    let now = shared.store.now().await?;
    let Some(promises) = &shared.promises else {
        return Ok(Answer(SloView { at: Moment(now), window_seconds: None, objectives: vec![] }));
    };
    let standings = stand(&*shared.store, now, promises).await?;
    Ok(Answer(SloView {
        at: Moment(now),
        window_seconds: Some(promises.window.as_secs()),
        objectives: standings.iter().map(ObjectiveView::of).collect(),
    }))
}
