//! `POST /aggregates/{id}/erase`: blanks everything that holds something of an aggregate.

use std::sync::Arc;

use axum::extract::State;
use dipmo_domain::ProcessKey;
use dipmo_store::admin::{Blanked, Erase, Erased, Proof, Unended};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::archives::LotView;
use super::lists::Nothing;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::{Answer, Sent};
use crate::params::Asked;
use crate::path::Aggregate;
use crate::problem::Problem;
use crate::trail::{Said, entry};

/// An instance of a process.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ErasedInstance)]
pub(crate) struct InstanceName {
    process: String,
    id: String,
}

/// How an aggregate is to be erased.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EraseWish {
    /// Must say something, unless it is a dry run.
    #[serde(default)]
    reason: Said,
    /// True tells what would be blanked and changes nothing.
    dry_run: bool,
    /// Instances that belong to it and go by another id.
    #[serde(default)]
    instances: Vec<InstanceName>,
    /// Also instances that have not ended: what comes for them later is ignored. Defaults to false.
    #[serde(default)]
    end_instances: bool,
}

/// What was blanked in a table.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErasedTable {
    table: String,
    /// How many rows were blanked; of timers, taken away; of groups of failures, forgotten.
    blanked: u64,
    /// How many rows hold something, counted after that in the same transaction: none. After a dry run, those that
    /// would be blanked.
    left: u64,
}

/// An aggregate that was erased, or would be.
#[derive(Serialize, ToSchema)]
pub(crate) struct EraseView {
    dry_run: bool,
    aggregate: String,
    /// Every table that can hold something.
    tables: Vec<ErasedTable>,
    /// The instances of processes that belong to it.
    instances: Vec<InstanceName>,
    /// Archives whose files may hold something still, the newest first, at most 1000. What is restored of them is blanked.
    archives: Vec<LotView>,
}

impl EraseView {
    fn of(dry_run: bool, aggregate: String, proof: Proof) -> Self {
        let table =
            |Blanked { table, blanked, left }: Blanked| ErasedTable { table, blanked, left };
        let instance = |ProcessKey { process, id }: ProcessKey| InstanceName { process, id };
        Self {
            dry_run,
            aggregate,
            tables: proof.tables.into_iter().map(table).collect(),
            instances: proof.instances.into_iter().map(instance).collect(),
            archives: proof.lots.iter().map(LotView::of).collect(),
        }
    }
}

/// Blanks everything that holds something of an aggregate: messages, what they said before they were edited, what came with
/// their ids, intents, failures, contexts and timers. Rows, ids and statuses stay. While something of it has not ended
/// nothing is changed. A dry run tells what would be blanked.
#[utoipa::path(
    post,
    path = "/aggregates/{id}/erase",
    tag = "aggregates",
    params(Aggregate),
    request_body = EraseWish,
    responses((status = 200, body = EraseView))
)]
pub(crate) async fn erase_aggregate(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    Aggregate(aggregate): Aggregate,
    _: Asked<Nothing>,
    Sent(wish): Sent<EraseWish>,
) -> Result<Answer<EraseView>, Problem> {
    let dry_run = wish.dry_run;
    let said = if dry_run { Said::of("a dry run") } else { wish.reason };
    let reason = said.reason()?;
    // PostgreSQL keeps no NUL, and so nothing with one could be found.
    if wish.instances.iter().any(|it| it.process.contains('\0') || it.id.contains('\0')) {
        return Err(Problem::parameter("instances", "name nobody", "say process and id"));
    }
    let target = format!("aggregate/{aggregate}");
    // What was blanked is added by the store.
    let entry = entry(&identity, "aggregate.erase", &target, reason, &json!({}))?;
    let key = |InstanceName { process, id }: InstanceName| ProcessKey { process, id };
    let erase = Erase {
        aggregate: aggregate.clone(),
        instances: wish.instances.into_iter().map(key).collect(),
        ends: shared.processes.iter().map(|it| (it.name.clone(), it.ends.clone())).collect(),
        end_instances: wish.end_instances,
        entry,
    };
    match shared.store.erase(&erase, dry_run).await? {
        Erased::Done(proof) => Ok(Answer(EraseView::of(dry_run, aggregate, proof))),
        Erased::Waits(waiting) => {
            let told: Vec<String> = waiting.iter().map(words).collect();
            Err(Problem::aggregate_waits(&aggregate, &told.join("; ")))
        }
    }
}

/// What has not ended, in words.
fn words(waiting: &Unended) -> String {
    match waiting {
        Unended::Messages { status, count, first } => {
            format!("messages {}: {count}, the first is {first}", status.as_str())
        }
        Unended::Intents { status, destination, count, first } => {
            format!("intents {} for {destination}: {count}, the first is {first}", status.as_str())
        }
        Unended::Instance { key, state, known: true } => format!("{key} stands in {state}"),
        Unended::Instance { key, state, known: false } => {
            format!("{key} stands in {state}, and the configuration has no such process")
        }
    }
}
