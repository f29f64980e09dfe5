//! `POST /sources/{name}/pause`, `/resume`, and the same for destinations: holds something back, on every
//! instance, until it is resumed.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{
    ControlChange, ControlChanged, Setting, SettingKind, Steered, SteeredThing,
};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::lists::Nothing;
use super::operation_change::Because;
use super::pauses::{Pause, Paused};
use crate::app::Shared;
use crate::auth::{Identity, Who};
use crate::body::{Answer, Sent};
use crate::params::Asked;
use crate::path::Name;
use crate::problem::Problem;
use crate::trail::{Said, entry};

const PAUSE: (ControlChange, &str) = (ControlChange::Set(Setting::Paused), "pause");
const RESUME: (ControlChange, &str) = (ControlChange::Clear(SettingKind::Paused), "resume");

/// How something stands that can be paused.
#[derive(Serialize, ToSchema)]
pub(crate) struct Steering {
    name: String,
    /// False when it was so already: nothing was changed, and the audit has no entry of it.
    changed: bool,
    /// Since when it rests, and why; null while it does not.
    paused: Option<Pause>,
}

/// Lets a source rest on every instance, within a few seconds. One that rests already stays as it is.
#[utoipa::path(
    post,
    path = "/sources/{name}/pause",
    tag = "sources",
    params(Name),
    request_body = Because,
    responses((status = 200, body = Steering))
)]
pub(crate) async fn pause_source(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Name(name): Name,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<Steering>, Problem> {
    steer(&shared, &identity, (Steered::Source, name), PAUSE, &because.reason).await
}

/// Lets a source that rests go on.
#[utoipa::path(
    post,
    path = "/sources/{name}/resume",
    tag = "sources",
    params(Name),
    request_body = Because,
    responses((status = 200, body = Steering))
)]
pub(crate) async fn resume_source(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Name(name): Name,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<Steering>, Problem> {
    steer(&shared, &identity, (Steered::Source, name), RESUME, &because.reason).await
}

/// Delivers nothing more to a destination, on every instance, within a few seconds. One that rests already stays as
/// it is.
#[utoipa::path(
    post,
    path = "/destinations/{name}/pause",
    tag = "destinations",
    params(Name),
    request_body = Because,
    responses((status = 200, body = Steering))
)]
pub(crate) async fn pause_destination(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Name(name): Name,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<Steering>, Problem> {
    steer(&shared, &identity, (Steered::Destination, name), PAUSE, &because.reason).await
}

/// Delivers to a destination again.
#[utoipa::path(
    post,
    path = "/destinations/{name}/resume",
    tag = "destinations",
    params(Name),
    request_body = Because,
    responses((status = 200, body = Steering))
)]
pub(crate) async fn resume_destination(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Name(name): Name,
    _: Asked<Nothing>,
    Sent(because): Sent<Because>,
) -> Result<Answer<Steering>, Problem> {
    steer(&shared, &identity, (Steered::Destination, name), RESUME, &because.reason).await
}

async fn steer(
    shared: &Shared,
    identity: &Identity,
    (kind, name): (Steered, String),
    change: (ControlChange, &str),
    why: &Said,
) -> Result<Answer<Steering>, Problem> {
    let of = SteeredThing { kind, name: name.clone() };
    let done = say(shared, identity, &of, change, why, &Map::new()).await?;
    let paused = done.control.as_ref().and_then(Pause::of);
    Ok(Answer(Steering { name, changed: done.changed, paused }))
}

/// Writes what an operator says, with its entry.
pub(super) async fn say(
    shared: &Shared,
    identity: &Identity,
    of: &SteeredThing,
    (change, word): (ControlChange, &str),
    why: &Said,
    detail: &Map<String, Value>,
) -> Result<ControlChanged, Problem> {
    let reason = why.reason()?;
    is_known(shared, of.kind, &of.name).await?;
    let (action, target) = (format!("{}.{word}", of.kind), format!("{}/{}", of.kind, of.name));
    let entry = entry(identity, &action, &target, reason, detail)?;
    Ok(shared.store.change_control(of, change, &entry).await?)
}

/// What nobody has heard of is a slip of the pen: a pause of it would hold nothing back. What is paused can be
/// resumed although the configuration does not have it any more, and what waits can be paused although it never had.
pub(super) async fn is_known(shared: &Shared, kind: Steered, name: &str) -> Result<(), Problem> {
    let mut known: BTreeSet<String> = match kind {
        Steered::Source => shared.sources.iter().map(|it| it.name.clone()).collect(),
        Steered::Destination => shared.destinations.iter().cloned().collect(),
    };
    if known.contains(name) {
        return Ok(());
    }
    known.extend(Paused::of(&shared.store.controls().await?).names(kind).cloned());
    if kind == Steered::Destination {
        known.extend(shared.store.backlog().await?.outbox.into_keys());
    }
    if known.contains(name) {
        Ok(())
    } else {
        Err(Problem::unknown_name(kind.as_str(), name, &known))
    }
}
