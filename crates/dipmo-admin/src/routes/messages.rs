//! `GET /messages`: messages by filter.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::{Fingerprint, InboxStatus};
use dipmo_inbox::InboxRow;
use dipmo_store::admin::{MessageFilter, MessageLine, Page, Waits};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::PageOf;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::Answer;
use crate::mask::{FailureView, Sight};
use crate::moment::Moment;
use crate::params::{Asked, Field, Filter, Given, Kind, Query, SEARCHED, Wanted};
use crate::problem::Problem;
use crate::search;

/// `INBOX.STATUS`.
const STATUS: &[&str] = &["RECEIVED", "RETRY", "FAILED", "PROCESSED", "SERDE_ERROR"];

const FIELDS: [Field; 12] = [
    Field { name: "status", about: "Any of these.", kind: Kind::Words(STATUS) },
    Field {
        name: "waits",
        about: "Only what waits for the head of its key, or for a version that is missing.",
        kind: Kind::Word(&["held", "parked"]),
    },
    Field::text("topic", "The topic."),
    Field::text("type", "The type of the event."),
    Field::text("source", "The source system."),
    Field::text("aggregate", "The aggregate."),
    Field::text("message_id", "The id that its producer gave it."),
    Field::text("code", "The code of the last failure."),
    Field::fingerprint("failure"),
    Field::time("since", "Received then or later."),
    Field::time("until", "Received before."),
    Field::text(
        SEARCHED,
        "A text that occurs in payload, headers, key, message id, aggregate or failure. Needs the role operator and \
         leaves an entry in the audit: a search would tell what is masked.",
    ),
];

/// A message in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MessageLine)]
pub(crate) struct MessageView {
    pub(crate) id: i64,
    /// The id that its producer gave it.
    pub(crate) message_id: String,
    pub(crate) source_system: String,
    pub(crate) topic: String,
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    pub(crate) aggregate_id: Option<String>,
    pub(crate) event_type: Option<String>,
    pub(crate) received_at: Moment,
    pub(crate) lane: u8,
    pub(crate) status: &'static str,
    pub(crate) attempts: u32,
    pub(crate) next_attempt_at: Option<Moment>,
    pub(crate) processed_at: Option<Moment>,
    /// How it ended.
    pub(crate) outcome: Option<&'static str>,
    /// It waits for a version that is missing; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parked: Option<bool>,
    /// The message that it waits for.
    pub(crate) held_behind: Option<i64>,
    pub(crate) error_stage: Option<&'static str>,
    pub(crate) failure: Option<FailureView>,
}

impl MessageView {
    pub(crate) fn of_line(line: &MessageLine, sight: Sight<'_>) -> Self {
        Self {
            id: line.id.0,
            message_id: line.message_id.clone(),
            source_system: line.source_system.clone(),
            topic: line.topic.clone(),
            partition: line.partition,
            offset: line.offset,
            aggregate_id: line.aggregate_id.clone(),
            event_type: line.event_type.clone(),
            received_at: Moment(line.received_at),
            lane: line.lane.index(),
            status: line.status.as_str(),
            attempts: line.attempts,
            next_attempt_at: line.next_attempt_at.map(Moment),
            processed_at: line.processed_at.map(Moment),
            outcome: line.outcome.map(dipmo_domain::Outcome::as_str),
            parked: Some(line.parked),
            held_behind: line.held_behind.map(|id| id.0),
            error_stage: line.error_stage.map(dipmo_domain::ErrorStage::as_str),
            failure: sight.failure(line.failure.as_ref()),
        }
    }

    pub(crate) fn of_row(row: &InboxRow, sight: Sight<'_>) -> Self {
        let message = &row.message;
        let line = MessageLine {
            id: message.id,
            message_id: message.message_id.clone(),
            source_system: message.source_system.clone(),
            topic: message.topic.clone(),
            partition: message.partition,
            offset: message.offset,
            aggregate_id: message.aggregate_id.clone(),
            event_type: message.event_type.clone(),
            received_at: message.received_at,
            lane: message.lane,
            status: row.status,
            attempts: row.attempts,
            next_attempt_at: row.next_attempt_at,
            processed_at: row.processed_at,
            outcome: row.outcome,
            parked: false,
            held_behind: row.held_behind,
            error_stage: row.error_stage,
            failure: row.failure.clone(),
        };
        // A row does not tell whether it is parked.
        Self { parked: None, ..Self::of_line(&line, sight) }
    }
}

impl Query for MessageFilter {
    fn fields() -> Vec<&'static Field> {
        FIELDS.iter().collect()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok(Self {
            status: given.words::<InboxStatus>("status")?,
            waits: given.parsed("waits", waits)?,
            topic: given.text("topic"),
            event_type: given.text("type"),
            source_system: given.text("source"),
            aggregate: given.text("aggregate"),
            message_id: given.text("message_id"),
            error_code: given.text("code"),
            failure: given.parsed("failure", |text| text.parse::<Fingerprint>().ok())?,
            since: given.time("since")?,
            until: given.time("until")?,
            text: given.text(SEARCHED),
        })
    }
}

impl Filter for MessageFilter {
    const NAME: &'static str = "MessageFilter";
    const TARGET: &'static str = "inbox";

    fn searched(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

fn waits(word: &str) -> Option<Waits> {
    match word {
        "held" => Some(Waits::Held),
        "parked" => Some(Waits::Parked),
        _ => None,
    }
}

/// Messages, the newest first.
#[utoipa::path(
    get,
    path = "/messages",
    tag = "messages",
    params(Asked<(Wanted<MessageFilter>, Page)>),
    responses((status = 200, body = PageOf<MessageView>))
)]
pub(crate) async fn list_messages(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Asked((wanted, page)): Asked<(Wanted<MessageFilter>, Page)>,
) -> Result<Answer<PageOf<MessageView>>, Problem> {
    search::note(&shared, &identity, &wanted).await?;
    let listing = shared.store.messages(&wanted.filter, page).await?;
    let sight = Sight::Masked(&shared.shown);
    Ok(Answer(PageOf::of(&listing, |line| MessageView::of_line(line, sight))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_can_be_asked_for() {
        let names: Vec<&str> = InboxStatus::ALL.iter().map(|status| status.as_str()).collect();
        assert_eq!(names, STATUS);
    }
}
