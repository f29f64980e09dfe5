//! `GET /operations`: operations, the newest first.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::Side;
use dipmo_store::admin::{Operation, Page};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lists::PageOf;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// Messages of the inbox, or units of the outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Side)]
pub(crate) enum SideWord {
    Inbox,
    Outbox,
}

impl From<Side> for SideWord {
    fn from(side: Side) -> Self {
        match side {
            Side::Inbox => Self::Inbox,
            Side::Outbox => Self::Outbox,
        }
    }
}

impl From<SideWord> for Side {
    fn from(word: SideWord) -> Self {
        match word {
            SideWord::Inbox => Self::Inbox,
            SideWord::Outbox => Self::Outbox,
        }
    }
}

/// An operation as it stands.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Operation)]
pub(crate) struct OperationView {
    id: i64,
    /// `retry`, `skip`, `release` or `reparse`.
    act: &'static str,
    side: SideWord,
    /// Also where later ones of the same key went on meanwhile.
    force: bool,
    /// So many items a second at most.
    per_second: Option<u32>,
    /// Who began it.
    actor: String,
    reason: String,
    created_at: Moment,
    /// `RUNNING`, `PAUSED`, `CANCELLED` or `ENDED`.
    state: &'static str,
    ended_at: Option<Moment>,
    /// How many items it has.
    items: u64,
    /// How many of them were met.
    met: u64,
    /// Of those, to how many it was done.
    done: u64,
    /// The instance that performs it.
    owner: Option<String>,
}

impl OperationView {
    pub(crate) fn of(operation: &Operation) -> Self {
        Self {
            id: operation.id.0,
            act: operation.act.as_str(),
            side: operation.side.into(),
            force: operation.force,
            per_second: operation.per_second.map(std::num::NonZeroU32::get),
            actor: operation.actor.clone(),
            reason: operation.reason.clone(),
            created_at: Moment(operation.created_at),
            state: operation.state.as_str(),
            ended_at: operation.ended_at.map(Moment),
            items: operation.items,
            met: operation.met,
            done: operation.done,
            owner: operation.owner.clone(),
        }
    }
}

/// Operations, the newest first.
#[utoipa::path(
    get,
    path = "/operations",
    tag = "operations",
    params(Asked<Page>),
    responses((status = 200, body = PageOf<OperationView>))
)]
pub(crate) async fn list_operations(
    State(shared): State<Arc<Shared>>,
    Asked(page): Asked<Page>,
) -> Result<Answer<PageOf<OperationView>>, Problem> {
    let listing = shared.store.operations(page).await?;
    Ok(Answer(PageOf::of(&listing, OperationView::of)))
}
