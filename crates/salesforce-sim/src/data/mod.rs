//! REST over the data of the org: synchronous functions on a transaction.

mod batch;
mod composite;
#[cfg(test)]
mod composite_tests;
#[cfg(test)]
pub(crate) mod fixture;
mod graph;
mod query;
mod reference;
pub(crate) mod request;
mod subrequest;
mod tree;
pub(crate) mod url;

use request::{DataAnswer, DataRequest};

use crate::org::transaction::Transaction;

/// Answers a request for data, be it a call or a subrequest of Composite.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    let words: Vec<String> =
        request.path.iter().take(2).map(|segment| segment.to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["query" | "queryall", ..] => query::answer(tx, request),
        ["composite"] => composite::answer(tx, request),
        ["composite", "batch"] => batch::answer(tx, request),
        ["composite", "graph"] => graph::answer(tx, request),
        ["composite", "tree"] => tree::answer(tx, request),
        _ => request.not_found().into(),
    }
}
