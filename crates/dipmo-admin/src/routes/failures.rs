//! `GET /failures`: what failed or is retried, grouped by cause.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::ErrorStage;
use dipmo_store::admin::FailureGroup;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::{AllOf, Limit};
use super::operations::SideWord;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// Messages or units that failed alike.
#[derive(Serialize, ToSchema)]
pub(crate) struct Failures {
    /// The group: `failure` of `GET /messages` or `GET /units`, and of an operation.
    fingerprint: String,
    side: SideWord,
    stage: Option<&'static str>,
    code: String,
    /// What the failures say, without what differs from one to the next.
    pattern: String,
    /// How many have failed for good, and wait for a person.
    failed: u64,
    /// How many wait for their next attempt, or are held.
    retrying: u64,
    first_seen: Moment,
    last_seen: Moment,
    /// One of them.
    sample: i64,
}

impl Failures {
    fn of(group: &FailureGroup) -> Self {
        Self {
            fingerprint: group.fingerprint.to_string(),
            side: group.side.into(),
            stage: group.stage.map(ErrorStage::as_str),
            code: group.code.clone(),
            pattern: group.pattern.clone(),
            failed: group.failed,
            retrying: group.retrying,
            first_seen: Moment(group.first_seen),
            last_seen: Moment(group.last_seen),
            sample: group.sample,
        }
    }
}

/// Groups of failures, those with the newest first.
#[utoipa::path(
    get,
    path = "/failures",
    tag = "failures",
    params(Asked<Limit>),
    responses((status = 200, body = AllOf<Failures>))
)]
pub(crate) async fn list_failures(
    State(shared): State<Arc<Shared>>,
    Asked(limit): Asked<Limit>,
) -> Result<Answer<AllOf<Failures>>, Problem> {
    let groups = shared.store.failure_groups(limit.0).await?;
    Ok(Answer(AllOf::of(&groups, Failures::of)))
}
