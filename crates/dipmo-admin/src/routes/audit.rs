//! `GET /audit`: who did what, when and why.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{AuditFilter, AuditRow, Page};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::lists::PageOf;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::{Asked, Field, Given, Query};
use crate::problem::Problem;

const FIELDS: [Field; 5] = [
    Field::text("actor", "By whom."),
    Field::text("action", "What, such as `operation.begin` or `reveal`."),
    Field::text("target", "To what, such as `inbox/4711`."),
    Field::time("since", "Then or later."),
    Field::time("until", "Before."),
];

/// Something that a person did.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditView {
    id: i64,
    at: Moment,
    /// Who: the name of a token, or who sat at the command line.
    actor: String,
    role: String,
    action: String,
    target: String,
    reason: String,
    /// All that belongs to it.
    #[schema(value_type = serde_json::Value)]
    detail: Option<Box<RawValue>>,
}

impl AuditView {
    fn of(row: &AuditRow) -> Self {
        let entry = &row.entry;
        Self {
            id: row.id,
            at: Moment(row.at),
            actor: entry.actor.clone(),
            role: entry.role.clone(),
            action: entry.action.clone(),
            target: entry.target.clone(),
            reason: entry.reason.clone(),
            detail: RawValue::from_string(entry.detail.as_str().to_owned()).ok(),
        }
    }
}

impl Query for AuditFilter {
    fn fields() -> Vec<&'static Field> {
        FIELDS.iter().collect()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok(Self {
            actor: given.text("actor"),
            action: given.text("action"),
            target: given.text("target"),
            since: given.time("since")?,
            until: given.time("until")?,
        })
    }
}

/// What people did, the newest first.
#[utoipa::path(
    get,
    path = "/audit",
    tag = "access",
    params(Asked<(AuditFilter, Page)>),
    responses((status = 200, body = PageOf<AuditView>))
)]
pub(crate) async fn list_audit(
    State(shared): State<Arc<Shared>>,
    Asked((filter, page)): Asked<(AuditFilter, Page)>,
) -> Result<Answer<PageOf<AuditView>>, Problem> {
    let listing = shared.store.audit(&filter, page).await?;
    Ok(Answer(PageOf::of(&listing, AuditView::of)))
}
