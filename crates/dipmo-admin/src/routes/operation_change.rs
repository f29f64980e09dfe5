//! `POST /operations/{id}/pause`, `/resume`, `/cancel`: says to an operation how to go on.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{OperationChange, OperationId};
use serde::Deserialize;
use serde_json::Map;
use utoipa::ToSchema;

use super::lists::Nothing;
use super::operation::unknown;
use super::operations::OperationView;
use crate::app::Shared;
use crate::auth::{Identity, Who};
use crate::body::{Answer, Sent};
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;
use crate::trail::{Reason, Said, entry};

/// Why.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Because {
    pub(crate) reason: Said,
}

impl Because {
    pub(crate) fn reason(&self) -> Result<Reason, Problem> {
        self.reason.reason()
    }
}

/// Lets an operation wait, until somebody says otherwise. One that has ended is answered as it stands.
#[utoipa::path(
    post,
    path = "/operations/{id}/pause",
    tag = "operations",
    params(Id),
    request_body = Because,
    responses((status = 200, body = OperationView))
)]
pub(crate) async fn pause_operation(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<OperationView>, Problem> {
    change(&shared, &identity, id, (OperationChange::Pause, "operation.pause"), &because).await
}

/// Lets an operation that waits go on. One that has ended is answered as it stands.
#[utoipa::path(
    post,
    path = "/operations/{id}/resume",
    tag = "operations",
    params(Id),
    request_body = Because,
    responses((status = 200, body = OperationView))
)]
pub(crate) async fn resume_operation(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<OperationView>, Problem> {
    change(&shared, &identity, id, (OperationChange::Resume, "operation.resume"), &because).await
}

/// Ends an operation; what was done stays done. One that has ended is answered as it stands.
#[utoipa::path(
    post,
    path = "/operations/{id}/cancel",
    tag = "operations",
    params(Id),
    request_body = Because,
    responses((status = 200, body = OperationView))
)]
pub(crate) async fn cancel_operation(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<OperationView>, Problem> {
    change(&shared, &identity, id, (OperationChange::Cancel, "operation.cancel"), &because).await
}

async fn change(
    shared: &Shared,
    identity: &Identity,
    id: i64,
    (change, action): (OperationChange, &str),
    because: &Because,
) -> Result<Answer<OperationView>, Problem> {
    let (target, reason) = (format!("operation/{id}"), because.reason()?);
    let entry = entry(identity, action, &target, reason, &Map::new())?;
    let operation = shared.store.change_operation(OperationId(id), change, &entry).await?;
    Ok(Answer(OperationView::of(&operation.ok_or_else(|| unknown(id))?)))
}
