//! `DELETE /tokens/{id}`: revokes a token.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::TokenId;
use hyper::StatusCode;
use serde_json::Map;

use crate::app::Shared;
use crate::auth::Who;
use crate::params::{Asked, Field, Given, Kind, Query};
use crate::path::Id;
use crate::problem::Problem;
use crate::trail::{Reason, entry};

const REASON: Field =
    Field { name: "reason", about: "Why it is revoked; it must be said.", kind: Kind::Because };

impl Query for Reason {
    fn fields() -> Vec<&'static Field> {
        vec![&REASON]
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Self::new(&given.text(REASON.name).unwrap_or_default())
    }
}

/// Revokes a token: from now on it is good for nothing. Who watches events with it is told no more after some minutes.
#[utoipa::path(
    delete,
    path = "/tokens/{id}",
    tag = "access",
    params(Id, Asked<Reason>),
    responses((status = 204, description = "It is revoked"))
)]
pub(crate) async fn revoke_token(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    Asked(reason): Asked<Reason>,
) -> Result<StatusCode, Problem> {
    let entry = entry(&identity, "token.revoke", &format!("token/{id}"), reason, &Map::new())?;
    if shared.store.revoke_token(TokenId(id), &entry).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found("token that is not revoked with the number", &id.to_string()))
    }
}
