//! REST over the data of the org: synchronous functions on a transaction.

mod batch;
mod body;
mod collate;
#[cfg(test)]
mod collate_tests;
mod collections;
mod collections_read;
#[cfg(test)]
mod collections_tests;
mod composite;
#[cfg(test)]
mod composite_tests;
mod describe;
mod execute;
mod external;
#[cfg(test)]
pub(crate) mod fixture;
mod graph;
#[cfg(test)]
mod graph_tests;
mod query;
mod reference;
pub(crate) mod request;
mod row;
mod sobject;
#[cfg(test)]
mod sobject_tests;
#[cfg(test)]
mod strict;
mod subrequest;
mod tree;
pub(crate) mod url;

use request::{DataAnswer, DataRequest};

use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

/// Answers a request for data, be it a call or a subrequest of Composite.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    tx.allow_duplicates(allows_duplicates(request));
    let words: Vec<String> =
        request.path.iter().take(2).map(|segment| segment.to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["sobjects", ..] => sobject::answer(tx, request),
        ["query" | "queryall", ..] => query::answer(tx, request),
        ["composite"] => composite::answer(tx, request),
        ["composite", "sobjects"] => collections::answer(tx, request),
        ["composite", "batch"] => batch::answer(tx, request),
        ["composite", "graph"] => graph::answer(tx, request),
        ["composite", "tree"] => tree::answer(tx, request),
        _ => Refusal::not_found().into(),
    }
}

/// The caller wants a duplicate saved that a rule only warns of.
fn allows_duplicates(request: &DataRequest<'_>) -> bool {
    let header = request.headers.iter().find(|(name, _)| name == "sforce-duplicate-rule-header");
    let wish = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        name.trim().eq_ignore_ascii_case("allowSave") && value.trim().eq_ignore_ascii_case("true")
    };
    header.is_some_and(|(_, value)| value.split(';').any(wish))
}
