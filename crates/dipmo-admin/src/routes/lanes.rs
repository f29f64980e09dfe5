//! `GET /lanes`: who works on what.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::LaneLine;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::{AllOf, Nothing};
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// A lane of a destination that somebody has leased, or a job holds.
#[derive(Serialize, ToSchema)]
pub(crate) struct Lane {
    destination: String,
    lane: u8,
    /// Who has it; the lease may have run out.
    owner: Option<String>,
    lease_until: Option<Moment>,
    /// The job that holds it.
    job: Option<i64>,
}

impl Lane {
    fn of(line: &LaneLine) -> Self {
        Self {
            destination: line.destination.clone(),
            lane: line.lane.index(),
            owner: line.owner.clone(),
            lease_until: line.lease_until.map(Moment),
            job: line.job.map(|id| id.0),
        }
    }
}

/// Lanes that are leased or held by a job, by destination.
#[utoipa::path(
    get,
    path = "/lanes",
    tag = "units",
    responses((status = 200, body = AllOf<Lane>))
)]
pub(crate) async fn list_lanes(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<AllOf<Lane>>, Problem> {
    Ok(Answer(AllOf::of(&shared.store.lanes().await?, Lane::of)))
}
