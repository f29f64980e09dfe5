//! `GET /operations/{id}/items`: what an operation is about, item by item.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{OperationId, OperationItem};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Limit;
use super::operation::unknown;
use crate::app::Shared;
use crate::body::Answer;
use crate::params::{Asked, Field, Given, Query};
use crate::path::Id;
use crate::problem::Problem;

const FIELDS: [Field; 2] = [
    Field::text("result", "Only those that met this end, such as `OVERTAKEN`."),
    Field::id("behind", "Only ids behind this one: `next` of the page before."),
];

/// Which items.
pub(crate) struct ItemQuery {
    result: Option<String>,
    behind: Option<i64>,
}

impl Query for ItemQuery {
    fn fields() -> Vec<&'static Field> {
        FIELDS.iter().collect()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok(Self { result: given.text("result"), behind: given.number("behind")? })
    }
}

/// A message or unit of an operation.
#[derive(Serialize, ToSchema)]
pub(crate) struct Item {
    /// The message or unit.
    id: i64,
    /// How it stood when the operation began; null when there was no such one.
    seen: Option<Seen>,
    /// What became of it; null when it was not met yet.
    result: Option<String>,
}

/// How an item stood when its operation began.
#[derive(Serialize, ToSchema)]
pub(crate) struct Seen {
    status: String,
    attempts: u32,
    /// How often operators had retried it.
    retried: u32,
}

/// Items in the order of ids.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemPage {
    rows: Vec<Item>,
    /// `behind` of what follows; null when nothing does.
    next: Option<i64>,
}

impl Item {
    fn of(item: &OperationItem) -> Self {
        let seen = item.seen.as_ref().map(|seen| Seen {
            status: seen.status.clone(),
            attempts: seen.attempts,
            retried: seen.retried,
        });
        Self { id: item.id, seen, result: item.result.clone() }
    }
}

/// Items of an operation, in the order of their ids.
#[utoipa::path(
    get,
    path = "/operations/{id}/items",
    tag = "operations",
    params(Id, Asked<(ItemQuery, Limit)>),
    responses((status = 200, body = ItemPage))
)]
pub(crate) async fn list_operation_items(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    Asked((query, Limit(limit))): Asked<(ItemQuery, Limit)>,
) -> Result<Answer<ItemPage>, Problem> {
    let (store, operation) = (&shared.store, OperationId(id));
    store.operation(operation).await?.ok_or_else(|| unknown(id))?;
    let result = query.result.as_deref();
    let items = store.operation_items(operation, result, query.behind, limit).await?;
    let is_full = items.len() >= limit as usize;
    let next = items.last().filter(|_| is_full).map(|item| item.id);
    Ok(Answer(ItemPage { rows: items.iter().map(Item::of).collect(), next }))
}
