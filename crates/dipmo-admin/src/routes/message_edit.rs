//! `POST /messages/{id}/edit`: a message that failed says something else, and is tried again.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::{InboxId, InboxStatus, Json};
use dipmo_store::Acted;
use dipmo_store::admin::Edit;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::lists::Nothing;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::{Answer, Sent};
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;
use crate::trail::{Said, entry};

/// The longest type of an event, in characters.
const LONGEST_TYPE: usize = 200;

/// What a message is to say.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditWish {
    /// The whole payload, kept as it is written here.
    #[schema(value_type = serde_json::Value)]
    payload: Box<RawValue>,
    /// The type of the event; without it that stays.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\x00]*$")]
    event_type: Option<String>,
    /// How often it was edited before, as the message shows it: what somebody else edited meanwhile is left alone.
    #[serde(default)]
    edits: u32,
    /// Also where a later one of the same key went on meanwhile.
    #[serde(default)]
    force: bool,
    /// Must say something, unless it is a dry run.
    #[serde(default)]
    reason: Said,
    /// True tells what would become of it and changes nothing.
    dry_run: bool,
}

/// What became of a wish to edit a message, or would.
#[derive(Serialize, ToSchema)]
pub(crate) struct EditView {
    dry_run: bool,
    id: i64,
    /// `DONE`, or why not: the words of an operation.
    result: &'static str,
    /// The later message that went on, where it was overtaken.
    overtaken_by: Option<i64>,
}

/// Edits a message that failed and tries it again. It keeps its ids and its place in the order of its key; what came is
/// kept, and shown beside it. The audit has who and why, and no payload.
#[utoipa::path(
    post,
    path = "/messages/{id}/edit",
    tag = "messages",
    params(Id),
    request_body = EditWish,
    responses((status = 200, body = EditView))
)]
pub(crate) async fn edit_message(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    _: Asked<Nothing>,
    Sent(wish): Sent<EditWish>,
) -> Result<Answer<EditView>, Problem> {
    let payload = Json::parse(wish.payload.get());
    let payload = payload.map_err(|error| Problem::body(format!("the payload: {error}")))?;
    let event_type = wish.event_type;
    let is_odd =
        |it: &String| it.is_empty() || it.chars().count() > LONGEST_TYPE || it.contains('\0');
    if event_type.as_ref().is_some_and(is_odd) {
        let allowed = format!("say 1 to {LONGEST_TYPE} characters");
        return Err(Problem::parameter("event_type", "is no type", allowed));
    }
    let reason = if wish.dry_run {
        wish.reason.for_dry_run()?;
        // It leaves no entry.
        Said::of("a dry run").reason()?
    } else {
        wish.reason.reason()?
    };
    let detail = json!({
        "bytes": payload.as_str().len(),
        "event_type": event_type,
        "edits": wish.edits,
        "force": wish.force,
    });
    let entry = entry(&identity, "message.edit", &format!("inbox/{id}"), reason, &detail)?;
    let message = InboxId(id);
    let edit = Edit { message, edits: wish.edits, payload, event_type, force: wish.force, entry };
    let acted = shared.store.edit(&edit, wish.dry_run).await?;
    let overtaken_by = match acted {
        Acted::NotFound => return Err(Problem::not_found("message", &id.to_string())),
        Acted::<InboxStatus>::Overtaken { by } => Some(by.0),
        _ => None,
    };
    Ok(Answer(EditView { dry_run: wish.dry_run, id, result: acted.word(), overtaken_by }))
}
