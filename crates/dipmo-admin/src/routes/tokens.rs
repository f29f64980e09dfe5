//! `GET /tokens`: who may come in.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::TokenRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::{AllOf, Nothing};
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// A token, without what it is shown by.
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    id: i64,
    name: String,
    role: String,
    created_at: Moment,
    /// Until when it is good; null is for ever.
    expires_at: Option<Moment>,
    revoked_at: Option<Moment>,
}

impl TokenView {
    fn of(row: &TokenRow) -> Self {
        Self {
            id: row.id.0,
            name: row.name.clone(),
            role: row.role.clone(),
            created_at: Moment(row.created_at),
            expires_at: row.expires_at.map(Moment),
            revoked_at: row.revoked_at.map(Moment),
        }
    }
}

/// All tokens, the newest first, also those that are no longer good.
#[utoipa::path(
    get,
    path = "/tokens",
    tag = "access",
    responses((status = 200, body = AllOf<TokenView>))
)]
pub(crate) async fn list_tokens(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<AllOf<TokenView>>, Problem> {
    Ok(Answer(AllOf::of(&shared.store.tokens().await?, TokenView::of)))
}
