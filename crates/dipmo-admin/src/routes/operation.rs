//! `GET /operations/{id}`: one operation, and what became of its items.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::OperationId;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Nothing;
use super::operations::OperationView;
use crate::app::Shared;
use crate::body::Answer;
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;

/// An operation, and what became of its items.
#[derive(Serialize, ToSchema)]
pub(crate) struct OperationDetail {
    #[serde(flatten)]
    operation: OperationView,
    /// How many items met each end: `DONE`, `OVERTAKEN`, `CHANGED` and so on.
    results: BTreeMap<String, u64>,
}

/// There is no operation of this number.
pub(crate) fn unknown(id: i64) -> Problem {
    Problem::not_found("operation", &id.to_string())
}

/// One operation, and what became of its items.
#[utoipa::path(
    get,
    path = "/operations/{id}",
    tag = "operations",
    params(Id),
    responses((status = 200, body = OperationDetail))
)]
pub(crate) async fn show_operation(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    _: Asked<Nothing>,
) -> Result<Answer<OperationDetail>, Problem> {
    let operation = shared.store.operation(OperationId(id)).await?.ok_or_else(|| unknown(id))?;
    let results = shared.store.operation_results(OperationId(id)).await?;
    Ok(Answer(OperationDetail { operation: OperationView::of(&operation), results }))
}
