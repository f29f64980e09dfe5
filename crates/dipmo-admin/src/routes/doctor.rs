//! `GET /doctor`: is this system fit to run, and what is to be done about what is not.

use std::sync::Arc;

use axum::extract::State;

use super::lists::Nothing;
use crate::app::Shared;
use crate::body::Answer;
use crate::doctor::{Examination, Facts, examine};
use crate::params::Asked;
use crate::problem::Problem;

/// A line for each thing that must be so, with what was looked at and the next step.
#[utoipa::path(
    get,
    path = "/doctor",
    tag = "reports",
    responses((status = 200, body = Examination))
)]
pub(crate) async fn show_doctor(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<Examination>, Problem> {
    let now = shared.store.now().await?;
    let (store, promises) = (&*shared.store, shared.promises.as_ref());
    let facts = Facts::gather(store, now, shared.expected, promises).await;
    Ok(Answer(examine(&facts)))
}
