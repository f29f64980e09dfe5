//! `GET /instances`: the instances of dipmo that work on this database.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::InstanceRow;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::lists::Limit;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// The instances that told of themselves.
#[derive(Serialize, ToSchema)]
pub(crate) struct Fleet {
    /// Now, by the database's clock: what was not seen for long is gone.
    now: Moment,
    rows: Vec<Member>,
}

/// An instance of dipmo.
#[derive(Serialize, ToSchema)]
#[schema(as = Instance)]
pub(crate) struct Member {
    name: String,
    version: String,
    /// Its roles, such as `consume,process`.
    roles: String,
    /// How it is: figures and troubles.
    #[schema(value_type = serde_json::Value)]
    report: Option<Box<RawValue>>,
    started_at: Moment,
    /// When it told last.
    seen_at: Moment,
}

impl Member {
    fn of(row: &InstanceRow) -> Self {
        let told = &row.report;
        Self {
            name: told.name.clone(),
            version: told.version.clone(),
            roles: told.roles.clone(),
            report: RawValue::from_string(told.report.as_str().to_owned()).ok(),
            started_at: Moment(row.started_at),
            seen_at: Moment(row.seen_at),
        }
    }
}

/// The instances of dipmo, those that were seen last first.
#[utoipa::path(
    get,
    path = "/instances",
    tag = "fleet",
    params(Asked<Limit>),
    responses((status = 200, body = Fleet))
)]
pub(crate) async fn list_instances(
    State(shared): State<Arc<Shared>>,
    Asked(limit): Asked<Limit>,
) -> Result<Answer<Fleet>, Problem> {
    let rows = shared.store.fleet(limit.0).await?;
    let now = Moment(shared.store.now().await?);
    Ok(Answer(Fleet { now, rows: rows.iter().map(Member::of).collect() }))
}
