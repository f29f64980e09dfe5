//! `GET /units`: units of the outbox by filter: intents without records, and records.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::{Destination, Fingerprint, InboxId, OutboxId, OutboxStatus};
use dipmo_store::admin::{Page, UnitFilter, UnitLine, Waits};
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

/// `OUTBOX.STATUS`.
const STATUS: &[&str] = &["PENDING", "DISPATCHED", "FAILED"];

const FIELDS: [Field; 13] = [
    Field { name: "status", about: "Any of these.", kind: Kind::Words(STATUS) },
    Field {
        name: "waits",
        about: "Only what waits for the head of its key.",
        kind: Kind::Word(&["held"]),
    },
    Field::text(
        "destination",
        "The destination, such as `KAFKA:orders` or `HTTP:SFDC:Auto:Contact`.",
    ),
    Field::text("type", "The type of the intent."),
    Field::text("aggregate", "The aggregate of the intent."),
    Field::text("record", "The key of the record at the destination."),
    Field::id("intent", "Those of one intent."),
    Field::id("cause", "Those of intents that a message caused."),
    Field::text("code", "The code of the last failure."),
    Field::fingerprint("failure"),
    Field::time("since", "Created then or later."),
    Field::time("until", "Created before."),
    Field::text(
        SEARCHED,
        "A text that occurs in payload, headers, record, aggregate or failure. Needs the role operator and \
         leaves an entry in the audit: a search would tell what is masked.",
    ),
];

/// A unit in a list: an intent, or a record of one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = UnitLine)]
pub(crate) struct UnitView {
    pub(crate) id: i64,
    /// The intent; the unit itself, when that has no records.
    pub(crate) intent: i64,
    /// The key of the record at the destination.
    pub(crate) record: Option<String>,
    pub(crate) destination: String,
    pub(crate) aggregate_type: String,
    pub(crate) aggregate_id: String,
    pub(crate) event_type: String,
    /// The message that caused it.
    pub(crate) cause: Option<i64>,
    pub(crate) created_at: Moment,
    pub(crate) status: &'static str,
    pub(crate) attempts: u32,
    pub(crate) next_attempt_at: Option<Moment>,
    pub(crate) dispatched_at: Option<Moment>,
    /// What the destination calls it, such as the id of a Salesforce record.
    pub(crate) external_ref: Option<String>,
    /// The unit that it waits for.
    pub(crate) held_behind: Option<i64>,
    /// The job that it is in.
    pub(crate) job: Option<i64>,
    /// An operator gave it up.
    pub(crate) skipped: bool,
    /// The unit that was sent a second time by this one.
    pub(crate) resend_of: Option<i64>,
    pub(crate) failure: Option<FailureView>,
}

impl UnitView {
    pub(crate) fn of(line: &UnitLine, sight: Sight<'_>) -> Self {
        Self {
            id: line.id.0,
            intent: line.intent.0,
            record: line.record.as_ref().map(|record| record.0.clone()),
            destination: line.destination.to_string(),
            aggregate_type: line.aggregate_type.clone(),
            aggregate_id: line.aggregate_id.clone(),
            event_type: line.event_type.clone(),
            cause: line.cause.map(|id| id.0),
            created_at: Moment(line.created_at),
            status: line.status.as_str(),
            attempts: line.attempts,
            next_attempt_at: line.next_attempt_at.map(Moment),
            dispatched_at: line.dispatched_at.map(Moment),
            external_ref: line.external_ref.clone(),
            held_behind: line.held_behind.map(|id| id.0),
            job: line.job.map(|id| id.0),
            skipped: line.skipped,
            resend_of: line.resend_of.map(|id| id.0),
            failure: sight.failure(line.failure.as_ref()),
        }
    }
}

impl Query for UnitFilter {
    fn fields() -> Vec<&'static Field> {
        FIELDS.iter().collect()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok(Self {
            status: given.words::<OutboxStatus>("status")?,
            waits: given.parsed("waits", |word| (word == "held").then_some(Waits::Held))?,
            destination: destination(given)?,
            event_type: given.text("type"),
            aggregate: given.text("aggregate"),
            record: given.text("record"),
            intent: given.number("intent")?.map(OutboxId),
            cause: given.number("cause")?.map(InboxId),
            error_code: given.text("code"),
            failure: given.parsed("failure", |text| text.parse::<Fingerprint>().ok())?,
            since: given.time("since")?,
            until: given.time("until")?,
            text: given.text(SEARCHED),
        })
    }
}

impl Filter for UnitFilter {
    const NAME: &'static str = "UnitFilter";
    const TARGET: &'static str = "outbox";

    fn searched(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

fn destination(given: &Given) -> Result<Option<Destination>, Problem> {
    let read = |text: String| {
        let wrong = |error| Problem::parameter("destination", "is none", format!("{error}"));
        text.parse::<Destination>().map_err(wrong)
    };
    given.text("destination").map(read).transpose()
}

/// Units, the newest first.
#[utoipa::path(
    get,
    path = "/units",
    tag = "units",
    params(Asked<(Wanted<UnitFilter>, Page)>),
    responses((status = 200, body = PageOf<UnitView>))
)]
pub(crate) async fn list_units(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Asked((wanted, page)): Asked<(Wanted<UnitFilter>, Page)>,
) -> Result<Answer<PageOf<UnitView>>, Problem> {
    search::note(&shared, &identity, &wanted).await?;
    let listing = shared.store.units(&wanted.filter, page).await?;
    let sight = Sight::Masked(&shared.shown);
    Ok(Answer(PageOf::of(&listing, |line| UnitView::of(line, sight))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_can_be_asked_for() {
        let names: Vec<&str> = OutboxStatus::ALL.iter().map(|status| status.as_str()).collect();
        assert_eq!(names, STATUS);
    }
}
