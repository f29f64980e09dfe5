//! `GET /intents/{id}`: one intent, whole. Its units are `GET /units?intent={id}`.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::OutboxId;
use dipmo_outbox::OutboxRow;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::auth::Who;
use crate::body::Answer;
use crate::mask::{FailureView, HeaderView, Sight};
use crate::moment::Moment;
use crate::params::Asked;
use crate::path::Id;
use crate::problem::Problem;
use crate::reveal::Reveal;

/// An intent, without what is to be sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct IntentLine {
    pub(crate) id: i64,
    pub(crate) aggregate_type: String,
    pub(crate) aggregate_id: String,
    pub(crate) event_type: String,
    pub(crate) event_version: u16,
    pub(crate) destination: String,
    pub(crate) created_at: Moment,
    /// Of an intent with records: pending while one of them is, failed when one is.
    pub(crate) status: &'static str,
    pub(crate) attempts: u32,
    pub(crate) next_attempt_at: Option<Moment>,
    /// The message that caused it.
    pub(crate) cause: Option<i64>,
    /// The instance of a process that wants to hear how it ended.
    pub(crate) reply_to: Option<Instance>,
    /// The unit that it waits for.
    pub(crate) held_behind: Option<i64>,
    /// An operator gave up what failed of it.
    pub(crate) skipped: bool,
    /// The unit that was sent a second time by this intent.
    pub(crate) resend_of: Option<i64>,
    pub(crate) failure: Option<FailureView>,
}

/// An instance of a process.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = InstanceKey)]
pub(crate) struct Instance {
    pub(crate) process: String,
    pub(crate) id: String,
}

/// An intent, whole.
#[derive(Serialize, ToSchema)]
pub(crate) struct Intent {
    #[serde(flatten)]
    line: IntentLine,
    /// True when nothing of it is masked.
    revealed: bool,
    #[schema(value_type = serde_json::Value)]
    payload: Option<Box<RawValue>>,
    headers: Vec<HeaderView>,
}

impl IntentLine {
    pub(crate) fn of(row: &OutboxRow, sight: Sight<'_>) -> Self {
        let reply_to = row.reply_to.as_ref();
        Self {
            id: row.id.0,
            aggregate_type: row.aggregate_type.clone(),
            aggregate_id: row.aggregate_id.clone(),
            event_type: row.event_type.clone(),
            event_version: row.event_version,
            destination: row.destination.to_string(),
            created_at: Moment(row.created_at),
            status: row.status.as_str(),
            attempts: row.attempts,
            next_attempt_at: row.next_attempt_at.map(Moment),
            cause: row.cause.map(|id| id.0),
            reply_to: reply_to
                .map(|key| Instance { process: key.process.clone(), id: key.id.clone() }),
            held_behind: row.held_behind.map(|id| id.0),
            skipped: row.skipped,
            resend_of: row.resend_of.map(|id| id.0),
            failure: sight.failure(row.failure.as_ref()),
        }
    }
}

/// One intent, whole; masked, unless it is revealed. The id of a record finds the intent that it is of.
#[utoipa::path(
    get,
    path = "/intents/{id}",
    tag = "units",
    params(Id, Asked<Reveal>),
    responses((status = 200, body = Intent))
)]
pub(crate) async fn show_intent(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Id(id): Id,
    Asked(reveal): Asked<Reveal>,
) -> Result<Answer<Intent>, Problem> {
    let row = shared.store.intent(OutboxId(id)).await?;
    let row = row.ok_or_else(|| Problem::not_found("intent", &id.to_string()))?;
    let sight = reveal.sight(&shared, &identity, &format!("outbox/{}", row.id.0)).await?;
    Ok(Answer(Intent {
        line: IntentLine::of(&row, sight),
        revealed: matches!(sight, Sight::Revealed),
        payload: sight.json(&row.payload),
        headers: sight.headers(row.headers_json.as_ref()),
    }))
}
