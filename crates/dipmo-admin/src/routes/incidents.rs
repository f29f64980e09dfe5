//! `GET /incidents`: messages that came with the id of another one and a different content.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::Json;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::lists::AllOf;
use crate::app::Shared;
use crate::body::Answer;
use crate::mask::Sight;
use crate::moment::Moment;
use crate::params::{Asked, Field, Given, Kind, Query};
use crate::problem::Problem;

/// So many at once: their payloads are whole.
const MOST: u32 = 50;

const LIMIT: Field = Field {
    name: "limit",
    about: "How many at most. Their payloads are whole, so 50 is the most, and what it defaults to.",
    kind: Kind::Number(1, MOST as i64),
};

/// How many incidents.
pub(crate) struct Few(u32);

impl Query for Few {
    fn fields() -> Vec<&'static Field> {
        vec![&LIMIT]
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        let limit = given.number(LIMIT.name)?.and_then(|limit| u32::try_from(limit).ok());
        Ok(Self(limit.unwrap_or(MOST)))
    }
}

/// An incident.
#[derive(Serialize, ToSchema)]
pub(crate) struct Incident {
    /// The message that was stored first.
    first: i64,
    source_system: String,
    message_id: String,
    /// Where the other one came from.
    topic: String,
    partition: i32,
    offset: i64,
    /// The value of the other one, masked.
    #[schema(value_type = serde_json::Value)]
    payload: Option<Box<RawValue>>,
    /// The same when it is no JSON, masked.
    raw_payload_base64: Option<String>,
    received_at: Moment,
}

impl Incident {
    fn of(incident: &dipmo_store::Incident, sight: Sight<'_>) -> Self {
        let payload = incident.payload.as_deref().map(Json::from_store_str);
        Self {
            first: incident.first.0,
            source_system: incident.source_system.clone(),
            message_id: incident.message_id.clone(),
            topic: incident.topic.clone(),
            partition: incident.partition,
            offset: incident.offset,
            payload: payload.and_then(|payload| sight.json(&payload)),
            raw_payload_base64: sight.bytes(incident.raw_payload_base64.as_deref()),
            received_at: Moment(incident.received_at),
        }
    }
}

/// Incidents, the newest first; at most 50, because their payloads are whole.
#[utoipa::path(
    get,
    path = "/incidents",
    tag = "messages",
    params(Asked<Few>),
    responses((status = 200, body = AllOf<Incident>))
)]
pub(crate) async fn list_incidents(
    State(shared): State<Arc<Shared>>,
    Asked(few): Asked<Few>,
) -> Result<Answer<AllOf<Incident>>, Problem> {
    let incidents = shared.store.incidents(few.0).await?;
    let sight = Sight::Masked(&shared.shown);
    Ok(Answer(AllOf::of(&incidents, |incident| Incident::of(incident, sight))))
}
