//! `GET /messages/{id}`: one message, whole.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::InboxId;
use dipmo_inbox::InboxRow;
use dipmo_store::admin::Original;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::messages::MessageView;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::Answer;
use crate::mask::{HeaderView, Sight};
use crate::moment::Moment;
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;
use crate::reveal::Reveal;

/// A message, whole.
#[derive(Serialize, ToSchema)]
pub(crate) struct Message {
    #[serde(flatten)]
    line: MessageView,
    /// True when nothing of it is masked.
    revealed: bool,
    /// The key of the record.
    key: Option<String>,
    event_version: Option<u16>,
    source_version: Option<i64>,
    /// When it happened, as the event or the broker tells.
    event_ts: Option<Moment>,
    #[schema(value_type = serde_json::Value)]
    payload: Option<Box<RawValue>>,
    headers: Vec<HeaderView>,
    /// The value in base64, when it could not be decoded.
    raw_payload_base64: Option<String>,
    /// The message that this one repeats, when an operator replayed it.
    replay_of: Option<i64>,
    /// What came, when somebody edited it since.
    original: Option<OriginalView>,
}

/// What a message said when it came, and who edited it last.
#[derive(Serialize, ToSchema)]
#[schema(as = Original)]
pub(crate) struct OriginalView {
    event_type: Option<String>,
    #[schema(value_type = serde_json::Value)]
    payload: Option<Box<RawValue>>,
    /// How often it was edited.
    edits: u32,
    edited_by: String,
    edited_at: Moment,
}

impl OriginalView {
    fn of(original: Original, sight: Sight<'_>) -> Self {
        let Original { payload, event_type, edits, edited_by, edited_at } = original;
        Self {
            event_type,
            payload: payload.as_ref().and_then(|json| sight.json(json)),
            edits,
            edited_by,
            edited_at: Moment(edited_at),
        }
    }
}

impl Message {
    fn of(row: &InboxRow, original: Option<Original>, sight: Sight<'_>) -> Self {
        let message = &row.message;
        Self {
            line: MessageView::of_row(row, sight),
            revealed: matches!(sight, Sight::Revealed),
            key: sight.key(message.key_str.as_deref()),
            event_version: message.event_version,
            source_version: message.source_version,
            event_ts: message.event_ts.map(Moment),
            payload: message.payload.as_ref().and_then(|json| sight.json(json)),
            headers: sight.headers(message.headers_json.as_ref()),
            raw_payload_base64: sight.bytes(message.raw_payload_base64.as_deref()),
            replay_of: message.replay_of().map(|id| id.0),
            original: original.map(|original| OriginalView::of(original, sight)),
        }
    }
}

/// One message, whole; masked, unless it is revealed.
#[utoipa::path(
    get,
    path = "/messages/{id}",
    tag = "messages",
    params(Id, Asked<Reveal>),
    responses((status = 200, body = Message))
)]
pub(crate) async fn show_message(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    Asked(reveal): Asked<Reveal>,
) -> Result<Answer<Message>, Problem> {
    let row = shared.store.message(InboxId(id)).await?;
    let row = row.ok_or_else(|| Problem::not_found("message", &id.to_string()))?;
    let original = shared.store.original(row.message.id).await?;
    let sight = reveal.sight(&shared, &identity, &format!("inbox/{id}")).await?;
    Ok(Answer(Message::of(&row, original, sight)))
}
