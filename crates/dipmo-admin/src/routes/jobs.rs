//! `GET /jobs`: units that a destination works through by itself.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::{AllOf, Limit};
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// A job.
#[derive(Serialize, ToSchema)]
pub(crate) struct Job {
    id: i64,
    destination: String,
    /// `SEALED`, `MADE`, `GIVEN` or `ENDED`.
    phase: &'static str,
    /// What the destination calls it.
    remote: Option<String>,
    /// How many units it was sealed with.
    units: u32,
    created_at: Moment,
    /// Since when it is in its phase.
    phase_at: Moment,
}

impl Job {
    fn of(job: &dipmo_outbox::Job) -> Self {
        Self {
            id: job.id.0,
            destination: job.destination.to_string(),
            phase: job.phase.as_str(),
            remote: job.remote.clone(),
            units: job.units,
            created_at: Moment(job.created_at),
            phase_at: Moment(job.phase_at),
        }
    }
}

/// Jobs that have not ended, then the newest that have.
#[utoipa::path(
    get,
    path = "/jobs",
    tag = "units",
    params(Asked<Limit>),
    responses((status = 200, body = AllOf<Job>))
)]
pub(crate) async fn list_jobs(
    State(shared): State<Arc<Shared>>,
    Asked(limit): Asked<Limit>,
) -> Result<Answer<AllOf<Job>>, Problem> {
    Ok(Answer(AllOf::of(&shared.store.jobs(limit.0).await?, Job::of)))
}
