//! `GET /processes/{name}/instances`: instances of a process by filter.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use dipmo_store::StateRow;
use dipmo_store::admin::InstanceFilter;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Limit;
use crate::app::Shared;
use crate::body::Answer;
use crate::mask::{FailureView, Sight};
use crate::moment::Moment;
use crate::params::{Asked, Field, Given, Kind, Query};
use crate::path::Name;
use crate::problem::Problem;

const FIELDS: [Field; 4] = [
    Field::text("state", "The state."),
    Field::text("prefix", "How the id begins."),
    Field { name: "failed", about: "Only those with a failure.", kind: Kind::Flag },
    Field::text("behind", "Only ids behind this one: `next` of the page before."),
];

/// Which instances.
pub(crate) struct InstanceQuery {
    filter: InstanceFilter,
    behind: Option<String>,
}

impl Query for InstanceQuery {
    fn fields() -> Vec<&'static Field> {
        FIELDS.iter().collect()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        let filter = InstanceFilter {
            state: given.text("state"),
            id_prefix: given.text("prefix"),
            failed: given.flag("failed")?,
        };
        Ok(Self { filter, behind: given.text("behind") })
    }
}

/// An instance of a process, without its document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InstanceLine {
    id: String,
    state: String,
    /// It moves with every transition.
    version: i64,
    /// The last version of the producer, by source.
    event_versions: BTreeMap<String, i64>,
    /// Of the step that is being tried.
    attempts: u32,
    last_event_ts: Moment,
    failure: Option<FailureView>,
}

impl InstanceLine {
    pub(crate) fn of(row: &StateRow, sight: Sight<'_>) -> Self {
        Self {
            id: row.key.id.clone(),
            state: row.state.clone(),
            version: row.version,
            event_versions: row.event_versions.clone(),
            attempts: row.attempts,
            last_event_ts: Moment(row.last_event_ts),
            failure: sight.failure(row.failure.as_ref()),
        }
    }
}

/// Instances of a process, in the order of their ids.
#[derive(Serialize, ToSchema)]
pub(crate) struct InstancePage {
    rows: Vec<InstanceLine>,
    /// `behind` of what follows; null when nothing does.
    next: Option<String>,
}

/// Instances of a process, in the order of their ids.
#[utoipa::path(
    get,
    path = "/processes/{name}/instances",
    tag = "processes",
    params(Name, Asked<(InstanceQuery, Limit)>),
    responses((status = 200, body = InstancePage))
)]
pub(crate) async fn list_process_instances(
    State(shared): State<Arc<Shared>>,
    Name(name): Name,
    Asked((query, limit)): Asked<(InstanceQuery, Limit)>,
) -> Result<Answer<InstancePage>, Problem> {
    let process = shared.process(&name)?;
    if let Some(state) = query.filter.state.as_ref().filter(|it| !process.states.contains(it)) {
        let problem = format!("{state} is no state of {name}");
        let allowed = format!("say one of {}", process.states.join(", "));
        return Err(Problem::parameter("state", &problem, allowed));
    }
    let behind = query.behind.as_deref();
    let page = shared.store.instances(&name, &query.filter, behind, limit.0).await?;
    let sight = Sight::Masked(&shared.shown);
    let rows = page.rows.iter().map(|row| InstanceLine::of(row, sight)).collect();
    Ok(Answer(InstancePage { rows, next: page.next }))
}
