//! `POST /destinations/{name}/breaker` and `/rate`: what protects an object of Salesforce, in the hands of operators.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::Destination;
use dipmo_store::admin::{ControlChange, Setting, SettingKind, Steered, SteeredThing};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::lists::Nothing;
use super::steering::{is_known, say};
use super::token_add::said;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::{Answer, Sent};
use crate::params::Asked;
use crate::path::Name;
use crate::problem::Problem;
use crate::trail::Said;

/// No rate is higher: nobody means it.
const HIGHEST: u32 = 100_000;

/// What a breaker is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BreakerWish {
    state: BreakerState,
    reason: Said,
}

/// Open until somebody closes it; or closed now, whoever opened it, and by itself from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BreakerState {
    Open,
    Closed,
}

/// What a rate is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateWish {
    /// Calls a second that each instance may make; null for what its configuration says, which must be said.
    #[serde(deserialize_with = "said")]
    #[schema(required, minimum = 1, maximum = 100_000)]
    per_second: Option<u32>,
    reason: Said,
}

/// What became of it.
#[derive(Serialize, ToSchema)]
pub(crate) struct Valve {
    name: String,
    /// False when it was so already: nothing was changed, and the audit has no entry of it.
    changed: bool,
}

/// Opens or closes the breaker of an object of Salesforce, on every instance, within a few seconds. All APIs of the
/// object share it.
#[utoipa::path(
    post,
    path = "/destinations/{name}/breaker",
    tag = "destinations",
    params(Name),
    request_body = BreakerWish,
    responses((status = 200, body = Valve))
)]
pub(crate) async fn set_breaker(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Name(name): Name,
    _: Asked<Nothing>,
    Sent(wish): Sent<BreakerWish>,
) -> Result<Answer<Valve>, Problem> {
    let of = valve(&shared, name).await?;
    let open = wish.state == BreakerState::Open;
    let change = (ControlChange::Set(Setting::Breaker { open }), "breaker");
    let detail = detail_of("state", if open { "open" } else { "closed" }.into());
    let done = say(&shared, &identity, &of, change, &wish.reason, &detail).await?;
    Ok(Answer(Valve { name: of.name, changed: done.changed }))
}

/// Changes how many calls a second each instance may make for an object of Salesforce, within a few seconds. All APIs
/// of the object share it.
#[utoipa::path(
    post,
    path = "/destinations/{name}/rate",
    tag = "destinations",
    params(Name),
    request_body = RateWish,
    responses((status = 200, body = Valve))
)]
pub(crate) async fn set_rate(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Name(name): Name,
    _: Asked<Nothing>,
    Sent(wish): Sent<RateWish>,
) -> Result<Answer<Valve>, Problem> {
    let of = valve(&shared, name).await?;
    let change = match wish.per_second {
        Some(calls @ 1..=HIGHEST) => ControlChange::Set(Setting::Rate(calls)),
        Some(_) => {
            let allowed = format!("say 1 to {HIGHEST}, or null for what the configuration says");
            return Err(Problem::parameter("per_second", "is no rate", allowed));
        }
        None => ControlChange::Clear(SettingKind::Rate),
    };
    let detail = detail_of("per_second", wish.per_second.into());
    let done = say(&shared, &identity, &of, (change, "rate"), &wish.reason, &detail).await?;
    Ok(Answer(Valve { name: of.name, changed: done.changed }))
}

/// Only what is sent to Salesforce has a breaker and a rate.
async fn valve(shared: &Shared, name: String) -> Result<SteeredThing, Problem> {
    is_known(shared, Steered::Destination, &name).await?;
    match name.parse() {
        Ok(Destination::Salesforce { .. }) => Ok(SteeredThing { kind: Steered::Destination, name }),
        _ => {
            let hint = "say a destination of Salesforce, such as HTTP:SFDC:Auto:Contact; others can be paused";
            Err(Problem::parameter("name", "has no breaker and no rate", hint))
        }
    }
}

fn detail_of(what: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(what.to_owned(), value)])
}
