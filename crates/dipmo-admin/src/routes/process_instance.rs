//! `GET /processes/{name}/instances/{id}`: one instance of a process, whole.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::ProcessKey;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::process_instances::InstanceLine;
use super::process_move::{MOST_TIMERS, TimerView};
use crate::app::Shared;
use crate::auth::Who;
use crate::body::Answer;
use crate::mask::Sight;
use crate::params::Asked;
use crate::path::NameAndId;
use crate::problem::Problem;
use crate::reveal::Reveal;

/// An instance of a process, whole.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProcessInstance {
    process: String,
    #[serde(flatten)]
    line: InstanceLine,
    /// True when nothing of it is masked.
    revealed: bool,
    /// Its document.
    #[schema(value_type = serde_json::Value)]
    context: Option<Box<RawValue>>,
    /// The timers that have not come yet, the first 100.
    timers: Vec<TimerView>,
}

/// One instance of a process, whole; masked, unless it is revealed.
#[utoipa::path(
    get,
    path = "/processes/{name}/instances/{id}",
    tag = "processes",
    params(NameAndId, Asked<Reveal>),
    responses((status = 200, body = ProcessInstance))
)]
pub(crate) async fn show_process_instance(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    NameAndId(process, id): NameAndId,
    Asked(reveal): Asked<Reveal>,
) -> Result<Answer<ProcessInstance>, Problem> {
    shared.process(&process)?;
    let key = ProcessKey { process, id };
    let row = shared.store.instance(&key).await?;
    let row = row.ok_or_else(|| Problem::not_found("instance", &key.to_string()))?;
    let timers = shared.store.timers_of(&key, MOST_TIMERS).await?;
    let target = format!("process/{}/{}", key.process, key.id);
    let sight = reveal.sight(&shared, &identity, &target).await?;
    Ok(Answer(ProcessInstance {
        line: InstanceLine::of(&row, sight),
        revealed: matches!(sight, Sight::Revealed),
        context: sight.json(&row.context),
        timers: timers.into_iter().map(TimerView::of).collect(),
        process: key.process,
    }))
}
