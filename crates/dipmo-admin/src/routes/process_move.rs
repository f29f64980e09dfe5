//! `POST /processes/{name}/instances/{id}/move`: moves an instance of a process to another state, by hand.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::ProcessKey;
use dipmo_store::admin::{Move, Moved, TimerLine};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::lists::Nothing;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::{Answer, Sent};
use crate::moment::Moment;
use crate::params::Asked;
use crate::path::NameAndId;
use crate::problem::Problem;
use crate::trail::{Said, entry};

/// So many timers are shown; all of them are taken away.
pub(crate) const MOST_TIMERS: u32 = 100;

/// Where an instance is to stand.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveWish {
    /// A state of the process.
    state: String,
    /// The version that was looked at: an instance that went on since is left alone. A dry run needs none.
    #[serde(default)]
    version: Option<i64>,
    /// Must say something, unless it is a dry run.
    #[serde(default)]
    reason: Said,
    /// True tells what would be done and changes nothing.
    dry_run: bool,
}

/// A timer of an instance.
#[derive(Serialize, ToSchema)]
#[schema(as = Timer)]
pub(crate) struct TimerView {
    name: String,
    /// The type of the message that it becomes.
    event_type: String,
    due_at: Moment,
}

/// An instance that was moved, or would be.
#[derive(Serialize, ToSchema)]
pub(crate) struct MoveView {
    dry_run: bool,
    process: String,
    id: String,
    from: String,
    to: String,
    /// The version that it has: after a dry run the one to be said, else the one that it was given.
    version: i64,
    /// The timers that are taken away, the first 100.
    timers: Vec<TimerView>,
}

impl TimerView {
    pub(crate) fn of(line: TimerLine) -> Self {
        let TimerLine { name, event_type, due_at } = line;
        Self { name, event_type, due_at: Moment(due_at) }
    }
}

/// Moves an instance to a state of its process, by hand: its timers are taken away, nothing is sent, and its document
/// stays as it is. To a state in which the process ends it completes it. A dry run tells what would be done.
#[utoipa::path(
    post,
    path = "/processes/{name}/instances/{id}/move",
    tag = "processes",
    params(NameAndId),
    request_body = MoveWish,
    responses((status = 200, body = MoveView))
)]
pub(crate) async fn move_process_instance(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    NameAndId(process, id): NameAndId,
    _: Asked<Nothing>,
    Sent(wish): Sent<MoveWish>,
) -> Result<Answer<MoveView>, Problem> {
    let states = &shared.process(&process)?.states;
    if !states.contains(&wish.state) {
        let allowed = format!("{process} has {}", states.join(", "));
        return Err(Problem::parameter("state", "is none of the process", allowed));
    }
    let key = ProcessKey { process, id };
    let unknown = || Problem::not_found("instance", &key.to_string());
    let row = shared.store.instance(&key).await?.ok_or_else(unknown)?;
    let timers = shared.store.timers_of(&key, MOST_TIMERS).await?;
    let mut view = MoveView {
        dry_run: wish.dry_run,
        process: key.process.clone(),
        id: key.id.clone(),
        from: row.state,
        to: wish.state,
        version: row.version,
        timers: timers.into_iter().map(TimerView::of).collect(),
    };
    if wish.dry_run {
        wish.reason.for_dry_run()?;
        return Ok(Answer(view));
    }
    let reason = wish.reason.reason()?;
    let version = wish.version.ok_or_else(|| {
        let allowed = "say the version that a dry run or the instance shows";
        Problem::parameter("version", "is missing", allowed)
    })?;
    if version != row.version {
        return Err(Problem::instance_changed(&key));
    }
    let names: Vec<&str> = view.timers.iter().map(|timer| timer.name.as_str()).collect();
    let detail = json!({"from": view.from, "to": view.to, "version": version, "timers": names});
    let target = format!("process/{}/{}", key.process, key.id);
    let entry = entry(&identity, "process.move", &target, reason, &detail)?;
    let wish = Move { key: key.clone(), version, to: view.to.clone(), entry };
    match shared.store.move_instance(&wish).await? {
        Moved::Done { .. } => view.version += 1,
        Moved::Changed => return Err(Problem::instance_changed(&key)),
        Moved::NotFound => return Err(unknown()),
    }
    Ok(Answer(view))
}
