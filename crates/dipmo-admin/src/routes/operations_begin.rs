//! `POST /operations`: begins an operation, or tells what it would be about.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use dipmo_store::Side;
use dipmo_store::admin::{
    Act, Begun, MOST_IN_OPERATION, MessageFilter, NewOperation, Preview, Target, UnitFilter,
    ended_units,
};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::lists::Nothing;
use super::operations::{OperationView, SideWord};
use super::replay::{self, RehearsedView};
use crate::app::Shared;
use crate::auth::{Identity, Who};
use crate::body::{Answer, Sent};
use crate::params::{Asked, Wanted};
use crate::problem::Problem;
use crate::search;
use crate::trail::{Said, entry};

/// So many ids may be named; more are meant by a filter.
const MOST_IDS: usize = 10_000;
/// So many of them are in the audit; the operation has them all.
const IDS_IN_AUDIT: usize = 20;

/// What is to be done to each.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Act)]
pub(crate) enum ActWord {
    /// Try it again, as if it had never been tried.
    Retry,
    /// End it without processing or delivering it, and let go what waits behind it.
    Skip,
    /// Let go what waits behind it, and leave it as it is.
    Release,
    /// Decode it again; messages that could not be decoded only.
    Reparse,
    /// Deliver it a second time, as a new intent that names it; units that were delivered or given up only.
    Resend,
    /// Process it once more, as a new message that names it; messages that were processed only.
    Replay,
}

/// An operation that somebody wants.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    act: ActWord,
    target: WishTarget,
    /// Also where later ones of the same key went on meanwhile.
    #[serde(default)]
    force: bool,
    /// So many items a second at most.
    #[serde(default)]
    #[schema(value_type = Option<u32>, format = Int64, minimum = 1, maximum = 4294967295_i64)]
    per_second: Option<NonZeroU32>,
    /// Must say something, unless it is a dry run.
    #[serde(default)]
    reason: Said,
    /// True tells what it would be about and changes nothing.
    dry_run: bool,
}

type WantedMessages = Wanted<MessageFilter>;
type WantedUnits = Wanted<UnitFilter>;

/// What it is about.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WishTarget {
    /// What this filter finds among messages, as far as the act can be done to it.
    Messages(WantedMessages),
    /// What this filter finds among units, as far as the act can be done to it.
    Units(WantedUnits),
    /// These, whatever they stand at.
    Ids(WishIds),
}

/// Messages or units by their ids, at most 10,000.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WishIds {
    side: SideWord,
    #[schema(min_items = 1, max_items = 10000)]
    ids: Vec<i64>,
}

/// What an operation would be about.
#[derive(Serialize, ToSchema)]
#[schema(as = Preview)]
pub(crate) struct PreviewView {
    /// How many items.
    items: u64,
    /// True when these are too many for one operation, and were not counted further.
    too_many: bool,
    by_status: BTreeMap<String, u64>,
    /// The first few ids.
    sample: Vec<i64>,
    /// What the first of them would do, one after the other; of a replay only, and where the processes are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    rehearsal: Option<Vec<RehearsedView>>,
}

/// What became of the wish: a dry run has a preview, an operation that was begun is one.
#[derive(Serialize, ToSchema)]
pub(crate) struct Wished {
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<PreviewView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<OperationView>,
}

impl From<ActWord> for Act {
    fn from(word: ActWord) -> Self {
        match word {
            ActWord::Retry => Self::Retry,
            ActWord::Skip => Self::Skip,
            ActWord::Release => Self::Release,
            ActWord::Reparse => Self::Reparse,
            ActWord::Resend => Self::Resend,
            ActWord::Replay => Self::Replay,
        }
    }
}

impl WishTarget {
    fn target(&self, act: Act) -> Result<Target, Problem> {
        let target = match self {
            Self::Messages(wanted) if wanted.says_nothing() => return Err(everything("messages")),
            Self::Units(wanted) if wanted.says_nothing() => return Err(everything("units")),
            Self::Messages(wanted) => Target::Messages(wanted.filter.clone()),
            Self::Units(wanted) => Target::Units(wanted.filter.clone()),
            Self::Ids(WishIds { ids, .. }) if ids.is_empty() || ids.len() > MOST_IDS => {
                let allowed = format!("name 1 to {MOST_IDS}, or say a filter");
                return Err(Problem::parameter("ids", "has too few or too many", allowed));
            }
            Self::Ids(WishIds { side, ids }) => {
                Target::Ids { side: (*side).into(), ids: ids.clone() }
            }
        };
        match (act.side(), target.side()) {
            (Some(Side::Inbox), Side::Outbox) => {
                let allowed = "units are neither decoded nor processed: name messages";
                Err(Problem::parameter("act", "cannot be done to units", allowed))
            }
            (Some(Side::Outbox), Side::Inbox) => {
                let allowed = "messages are not delivered anywhere: name units";
                Err(Problem::parameter("act", "cannot be done to messages", allowed))
            }
            _ => Ok(target),
        }
    }

    /// Leaves a trace of a search in payloads, if it is one.
    async fn note(&self, shared: &Shared, identity: &Identity) -> Result<(), Problem> {
        match self {
            Self::Messages(wanted) => search::note(shared, identity, wanted).await,
            Self::Units(wanted) => search::note(shared, identity, wanted).await,
            Self::Ids(_) => Ok(()),
        }
    }

    /// As the audit has it.
    fn said(&self) -> Value {
        match self {
            Self::Messages(wanted) => json!({"messages": wanted.audited()}),
            Self::Units(wanted) => json!({"units": wanted.audited()}),
            Self::Ids(WishIds { side, ids }) => {
                let first: Vec<i64> = ids.iter().copied().take(IDS_IN_AUDIT).collect();
                json!({"ids": {"side": side, "count": ids.len(), "first": first}})
            }
        }
    }
}

/// What has ended is named by its ids, because nothing keeps it apart: a filter is looked through first.
async fn named(shared: &Shared, act: Act, target: Target) -> Result<Target, Problem> {
    match (act, &target) {
        (Act::Resend, Target::Units(filter)) => {
            let found = ended_units(&*shared.store, filter).await?;
            let ids = found.ok_or_else(Problem::filter_too_wide)?;
            Ok(Target::Ids { side: Side::Outbox, ids })
        }
        (Act::Replay, Target::Messages(filter)) => {
            Ok(Target::Ids { side: Side::Inbox, ids: replay::meant(shared, filter).await? })
        }
        _ => Ok(target),
    }
}

/// A filter that says nothing is mostly one that somebody forgot to write.
fn everything(name: &str) -> Problem {
    let allowed =
        "say a filter such as failure or code, or name ids; GET /failures shows groups of failures";
    Problem::parameter(name, "says nothing, and would mean all of them", allowed)
}

impl PreviewView {
    fn of(preview: Preview) -> Self {
        Self {
            items: preview.items,
            too_many: preview.items > u64::from(MOST_IN_OPERATION),
            by_status: preview.by_status,
            sample: preview.sample,
            rehearsal: None,
        }
    }
}

/// Begins an operation: an act on many messages or units, which survives a crash and touches each once. A dry run
/// tells what it would be about, and changes nothing.
#[utoipa::path(
    post,
    path = "/operations",
    tag = "operations",
    request_body = Wish,
    responses(
        (status = 200, description = "A dry run", body = Wished),
        (status = 202, description = "It was begun", body = Wished),
    )
)]
pub(crate) async fn begin_operation(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    _: Asked<Nothing>,
    Sent(wish): Sent<Wish>,
) -> Result<Response, Problem> {
    let act = Act::from(wish.act);
    let target = wish.target.target(act)?;
    if wish.dry_run {
        wish.reason.for_dry_run()?;
        wish.target.note(&shared, &identity).await?;
        let target = named(&shared, act, target).await?;
        let mut preview = PreviewView::of(shared.store.preview(act, &target).await?);
        if let (Act::Replay, Target::Ids { ids, .. }) = (act, &target) {
            preview.rehearsal = replay::rehearsal(&shared, ids, wish.force).await?;
        }
        let wished = Wished { dry_run: true, preview: Some(preview), operation: None };
        return Ok(Answer(wished).into_response());
    }
    let detail = json!({
        "act": act.as_str(),
        "target": wish.target.said(),
        "force": wish.force,
        "per_second": wish.per_second,
    });
    // The store names the operation, once it has a number.
    let entry = entry(&identity, "operation.begin", "operation", wish.reason.reason()?, &detail)?;
    let target = named(&shared, act, target).await?;
    let new = NewOperation { act, target, force: wish.force, per_second: wish.per_second, entry };
    match shared.store.begin_operation(&new).await? {
        Begun::TooMany => Err(Problem::operation_too_large(MOST_IN_OPERATION)),
        Begun::Running(operation) => {
            let operation = Some(OperationView::of(&operation));
            let wished = Wished { dry_run: false, preview: None, operation };
            Ok((StatusCode::ACCEPTED, Answer(wished)).into_response())
        }
    }
}
