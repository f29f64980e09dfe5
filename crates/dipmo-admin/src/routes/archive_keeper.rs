//! `GET /archives/keeper` and `POST /archives/run`: who drops and archives history, and that it is done now.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{DutyRow, RETENTION};
use serde::Serialize;
use serde_json::Map;
use utoipa::ToSchema;

use super::lists::Nothing;
use super::operation_change::Because;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::{Answer, Sent};
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;
use crate::trail::entry;

/// Who keeps history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Keeper)]
pub(crate) struct KeeperView {
    /// The instance that was elected; null when none is there.
    owner: Option<String>,
    /// Until when nobody else can be.
    lease_until: Option<Moment>,
    /// When somebody asked for a round that has not ended yet.
    asked_at: Option<Moment>,
    /// Why the last round could not end.
    trouble: Option<String>,
}

impl KeeperView {
    fn of(row: DutyRow) -> Self {
        Self {
            owner: row.owner,
            lease_until: row.lease_until.map(Moment),
            asked_at: row.asked_at.map(Moment),
            trouble: row.trouble,
        }
    }
}

/// The instance that drops and archives history, and what keeps it from doing so.
#[utoipa::path(
    get,
    path = "/archives/keeper",
    tag = "archive",
    responses((status = 200, body = KeeperView))
)]
pub(crate) async fn show_keeper(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<KeeperView>, Problem> {
    Ok(Answer(KeeperView::of(shared.store.duty(RETENTION).await?)))
}

/// Asks for history that is too old to be dropped now, and not within the hour. The instance that keeps it does so.
#[utoipa::path(
    post,
    path = "/archives/run",
    tag = "archive",
    request_body = Because,
    responses((status = 200, body = KeeperView))
)]
pub(crate) async fn run_archive(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<KeeperView>, Problem> {
    let entry = entry(&identity, "archive.run", "archive", because.reason()?, &Map::new())?;
    Ok(Answer(KeeperView::of(shared.store.ask_duty(RETENTION, &entry).await?)))
}
