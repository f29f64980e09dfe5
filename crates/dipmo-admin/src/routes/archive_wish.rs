//! `POST /archives/{id}/verify` and `/restore`: what the instance that keeps history is to do with the files of a lot.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use dipmo_store::admin::{LotId, Wish};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::archives::LotView;
use super::lists::Nothing;
use super::operation_change::Because;
use crate::app::Shared;
use crate::auth::{Identity, Who};
use crate::body::{Answer, Sent};
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;
use crate::trail::{Reason, Said, entry};

/// How long rows stay that were restored, when nobody says how long.
const USUAL_DAYS: u16 = 7;
const MOST_DAYS: u16 = 3_650;

/// Why, and for how long.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restore {
    reason: Said,
    /// For how many days the rows stay at least. Defaults to 7.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 3650)]
    days: Option<u16>,
}

/// Asks for the files of a lot to be compared with their checksums. What was found is told by the list.
#[utoipa::path(
    post,
    path = "/archives/{id}/verify",
    tag = "archive",
    params(Id),
    request_body = Because,
    responses((status = 200, body = LotView))
)]
pub(crate) async fn verify_archive(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<LotView>, Problem> {
    wish(&shared, &identity, id, Wish::Verify, because.reason()?).await
}

/// Asks for the rows of a lot to be put back as history: nothing is processed or sent because of them. Files that are not
/// as they were written are refused, which the list tells. While the rows stay, nothing of their month or behind it is
/// dropped.
#[utoipa::path(
    post,
    path = "/archives/{id}/restore",
    tag = "archive",
    params(Id),
    request_body = Restore,
    responses((status = 200, body = LotView))
)]
pub(crate) async fn restore_archive(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    _: Asked<Nothing>,
    Sent(restore): Sent<Restore>,
) -> Result<Answer<LotView>, Problem> {
    let days = restore.days.unwrap_or(USUAL_DAYS);
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Problem::parameter("days", "cannot be this", "say 1 to 3650"));
    }
    let hold = Duration::from_secs(u64::from(days) * 24 * 3_600);
    wish(&shared, &identity, id, Wish::Restore { hold }, restore.reason.reason()?).await
}

async fn wish(
    shared: &Shared,
    identity: &Identity,
    id: i64,
    wish: Wish,
    reason: Reason,
) -> Result<Answer<LotView>, Problem> {
    let (action, target) = (format!("archive.{}", wish.as_str()), format!("archive/{id}"));
    let days = wish.hold().map(|hold| hold.as_secs() / (24 * 3_600));
    let entry = entry(identity, &action, &target, reason, &json!({ "days": days }))?;
    let lot = shared.store.wish(LotId(id), wish, &entry).await?;
    let unknown = || Problem::not_found("archive that has files with the number", &id.to_string());
    Ok(Answer(LotView::of(&lot.ok_or_else(unknown)?)))
}
