//! `GET /backlog`: how much waits, and how long the oldest of it has.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::StoreError;
use dipmo_store::admin::{Control, Operable};
use dipmo_store::{Backlog, OpenJobs, Waiting};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Nothing;
use super::pauses::{Paused, Valves};
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// All that has not ended, at one moment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Backlog)]
pub(crate) struct BacklogView {
    /// The moment, by the database's clock.
    at: Moment,
    inbox: WaitingView,
    /// By destination.
    outbox: BTreeMap<String, WaitingView>,
    /// Jobs that have not ended, by destination. Their units are counted in `outbox`.
    jobs: BTreeMap<String, JobsView>,
    /// Timers that are set, due or not.
    timers: u64,
    /// What operators hold back: it waits on purpose.
    paused: Paused,
    /// Breakers and rates of destinations that operators changed.
    valves: Valves,
    /// How long ago the oldest came that could be worked on now, on either side.
    oldest_age_seconds: Option<f64>,
}

/// What waits on one side.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Waiting)]
pub(crate) struct WaitingView {
    /// Not tried yet.
    ready: u64,
    /// Tried, or put off.
    retrying: u64,
    /// Held behind the head of its key.
    held: u64,
    /// Parked for a version that is missing.
    parked: u64,
    /// Failed for good, or not to be decoded: waits for a person.
    failed: u64,
    /// When the oldest came that could be worked on now.
    oldest: Option<Moment>,
    /// How long ago that was.
    oldest_age_seconds: Option<f64>,
}

/// Jobs of a destination that have not ended.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenJobs)]
pub(crate) struct JobsView {
    jobs: u64,
    /// When the oldest was begun.
    oldest: Moment,
    oldest_age_seconds: f64,
}

impl BacklogView {
    /// Counts what waits, and looks what is paused.
    pub(crate) async fn look(store: &dyn Operable) -> Result<Self, StoreError> {
        let backlog = store.backlog().await?;
        let controls = store.controls().await?;
        Ok(Self::of(&backlog, &controls))
    }

    pub(crate) fn of(backlog: &Backlog, controls: &[Control]) -> Self {
        let waiting = |side: &Waiting| WaitingView {
            ready: side.ready,
            retrying: side.retrying,
            held: side.held,
            parked: side.parked,
            failed: side.failed,
            oldest: side.oldest.map(Moment),
            oldest_age_seconds: backlog.age(side).map(|age| age.as_secs_f64()),
        };
        let jobs = |open: &OpenJobs| JobsView {
            jobs: open.jobs,
            oldest: Moment(open.oldest),
            oldest_age_seconds: backlog.at.since(open.oldest).as_secs_f64(),
        };
        Self {
            at: Moment(backlog.at),
            inbox: waiting(&backlog.inbox),
            outbox: backlog.outbox.iter().map(|(to, side)| (to.clone(), waiting(side))).collect(),
            jobs: backlog.jobs.iter().map(|(to, open)| (to.clone(), jobs(open))).collect(),
            timers: backlog.timers,
            paused: Paused::of(controls),
            valves: Valves::of(controls),
            oldest_age_seconds: backlog.oldest_age().map(|age| age.as_secs_f64()),
        }
    }
}

/// How much waits, counted at one moment.
#[utoipa::path(
    get,
    path = "/backlog",
    tag = "failures",
    responses((status = 200, body = BacklogView))
)]
pub(crate) async fn show_backlog(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<BacklogView>, Problem> {
    Ok(Answer(BacklogView::look(&*shared.store).await?))
}
