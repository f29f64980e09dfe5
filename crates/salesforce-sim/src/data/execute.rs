//! The subrequests of Composite and Graph, one after the other on one transaction.

use serde_json::{Map, Value as Json, json};

use super::reference::References;
use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::{Subrequest, is_collection};
use super::url::Target;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

/// What becomes of the others when one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Each,
    AllOrNone,
}

/// How a list of subrequests runs.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) mode: Mode,
    /// The version of the request around them.
    pub(super) version: u32,
    pub(super) allows: fn(Method, &Target) -> bool,
}

/// The items of subrequests that were not even tried.
pub(super) fn halt(subrequests: &[Subrequest<'_>]) -> Vec<Json> {
    subrequests.iter().map(|subrequest| item(subrequest, &halted())).collect()
}

/// Runs them in the order of these places; the items are in the order of the request. `false`: they were rolled back, because one failed and the mode says so.
pub(super) fn run(
    tx: &mut Transaction<'_>,
    subrequests: &[Subrequest<'_>],
    order: &[usize],
    rules: Rules,
) -> (Vec<Json>, bool) {
    let start = tx.savepoint();
    let mut references = References::new(rules.version);
    let mut items = vec![Json::Null; subrequests.len()];
    for &place in order {
        let subrequest = &subrequests[place];
        let answer = run_one(tx, subrequest, &references, rules);
        references.remember(subrequest.reference, answer.body.as_ref());
        if rules.mode == Mode::AllOrNone && has_failed(&answer) {
            tx.rollback_to(start);
            let items = subrequests.iter().enumerate().map(|(other, subrequest)| {
                if other == place { item(subrequest, &answer) } else { item(subrequest, &halted()) }
            });
            return (items.collect(), false);
        }
        items[place] = item(subrequest, &answer);
    }
    (items, true)
}

fn run_one(
    tx: &mut Transaction<'_>,
    subrequest: &Subrequest<'_>,
    references: &References,
    rules: Rules,
) -> DataAnswer {
    match filled(subrequest, references, rules) {
        Ok((target, body)) => super::answer(
            tx,
            &DataRequest {
                method: subrequest.method,
                path: &target.path,
                query: &target.query,
                body: body.as_ref(),
                version: target.version,
                headers: &subrequest.headers,
            },
        ),
        Err(refusal) => refusal.into(),
    }
}

/// The target and the body with what they refer to.
fn filled(
    subrequest: &Subrequest<'_>,
    references: &References,
    rules: Rules,
) -> Result<(Target, Option<Json>), Refusal> {
    let mut target = subrequest.target.clone().ok_or_else(Refusal::not_found)?;
    for text in target.texts_mut() {
        *text = references.fill_text(text)?;
    }
    if !(rules.allows)(subrequest.method, &target) {
        let words = format!("The resource is not supported in a subrequest: {}", subrequest.url);
        return Err(Refusal::new("PROCESSING_HALTED", words));
    }
    let mut body = subrequest.body.map(|body| references.fill_body(body)).transpose()?;
    if rules.mode == Mode::AllOrNone && writes_collection(&target) {
        // The flag of the request around it stands over that of the collection.
        if let Some(Json::Object(fields)) = &mut body {
            fields.insert("allOrNone".to_owned(), Json::Bool(true));
        }
        target.query.retain(|(name, _)| name != "allOrNone");
        target.query.push(("allOrNone".to_owned(), "true".to_owned()));
    }
    Ok((target, body))
}

/// `composite/sobjects/X` reads.
fn writes_collection(target: &Target) -> bool {
    is_collection(target) && target.path.len() != 3
}

/// A collection answers 200 and says in its items that they failed.
fn has_failed(answer: &DataAnswer) -> bool {
    let failed_item = |item: &Json| item.get("success") == Some(&Json::Bool(false));
    answer.status >= 300
        || answer
            .body
            .as_ref()
            .and_then(Json::as_array)
            .is_some_and(|items| items.iter().any(failed_item))
}

fn halted() -> DataAnswer {
    let words =
        "The transaction was rolled back since another operation in the same transaction failed.";
    Refusal::new("PROCESSING_HALTED", words).into()
}

fn item(subrequest: &Subrequest<'_>, answer: &DataAnswer) -> Json {
    let mut headers = Map::new();
    if let Some(location) = &answer.location {
        headers.insert("Location".to_owned(), Json::String(location.clone()));
    }
    json!({
        "body": answer.body,
        "httpHeaders": headers,
        "httpStatusCode": answer.status,
        "referenceId": subrequest.reference,
    })
}
