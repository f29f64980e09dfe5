//! `GET /messages/{id}/journey`: where a message came from, and all that came of it.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::InboxId;

use super::lists::Nothing;
use crate::app::Shared;
use crate::body::Answer;
use crate::journey::{self, Journey};
use crate::mask::Sight;
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;

/// Where a message came from, and all that came of it: intents, units, and the messages that those became.
#[utoipa::path(
    get,
    path = "/messages/{id}/journey",
    tag = "messages",
    params(Id),
    responses((status = 200, body = Journey))
)]
pub(crate) async fn show_journey(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    _: Asked<Nothing>,
) -> Result<Answer<Journey>, Problem> {
    let sight = Sight::Masked(&shared.shown);
    let journey = journey::of(&*shared.store, InboxId(id), sight).await?;
    journey.map(Answer).ok_or_else(|| Problem::not_found("message", &id.to_string()))
}
