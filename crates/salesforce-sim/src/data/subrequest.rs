//! The subrequests of Composite and Graph: what they may be, and how they run.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::body;
use super::reference::{References, STRICT_SINCE, illegal_id};
use super::request::{DataAnswer, DataRequest, Method};
use super::url::Target;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

/// These come from the request around it.
const INHERITED_HEADERS: [&str; 3] = ["accept", "authorization", "content-type"];

/// One subrequest, well formed.
#[derive(Debug)]
pub(super) struct Subrequest<'a> {
    pub(super) reference: &'a str,
    pub(super) method: Method,
    pub(super) url: &'a str,
    pub(super) body: Option<&'a Json>,
    headers: Vec<(String, String)>,
}

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

/// Reads the member `compositeRequest`; a mistake in one subrequest refuses the request around them.
pub(super) fn read(
    members: &Map<String, Json>,
    version: u32,
) -> Result<Vec<Subrequest<'_>>, Refusal> {
    let list = body::list(members, "compositeRequest")?;
    let subrequests = list.iter().map(read_one).collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::new();
    for subrequest in &subrequests {
        check_reference(subrequest.reference, version)?;
        if !seen.insert(subrequest.reference) {
            return Err(unreadable("Duplicate ReferenceId provided in the request."));
        }
    }
    Ok(subrequests)
}

fn read_one(json: &Json) -> Result<Subrequest<'_>, Refusal> {
    let Json::Object(members) = json else { return Err(body::unfit("object", json)) };
    body::only(members, &["method", "url", "referenceId", "body", "httpHeaders"])?;
    Ok(Subrequest {
        method: method(body::text(members, "method")?)?,
        url: body::text(members, "url")?,
        reference: body::text(members, "referenceId")?,
        body: members.get("body").filter(|body| !body.is_null()),
        headers: headers(members.get("httpHeaders"))?,
    })
}

/// The name of a method is in capitals.
pub(super) fn method(name: &str) -> Result<Method, Refusal> {
    Ok(match name {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "PATCH" => Method::Patch,
        "DELETE" => Method::Delete,
        _ => return Err(unreadable(&format!("Unknown method: {name}"))),
    })
}

fn headers(given: Option<&Json>) -> Result<Vec<(String, String)>, Refusal> {
    let given = match given {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(Json::Object(given)) => given,
        Some(other) => return Err(body::unfit("map", other)),
    };
    given
        .iter()
        .map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            if INHERITED_HEADERS.contains(&name.as_str()) {
                return Err(unreadable(&format!("A subrequest cannot have the header {name}")));
            }
            match value {
                Json::String(value) => Ok((name, value.clone())),
                other => Err(body::unfit("string", other)),
            }
        })
        .collect()
}

fn check_reference(reference: &str, version: u32) -> Result<(), Refusal> {
    let legal = reference.starts_with(|c: char| c.is_ascii_alphanumeric())
        && reference.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if legal || version < STRICT_SINCE {
        return Ok(());
    }
    Err(unreadable(&illegal_id(reference)))
}

fn unreadable(words: &str) -> Refusal {
    Refusal::new("JSON_PARSER_ERROR", words)
}

/// The items of subrequests that were not even tried.
pub(super) fn halt(subrequests: &[Subrequest<'_>]) -> Vec<Json> {
    subrequests.iter().map(|subrequest| item(subrequest, &halted())).collect()
}

/// Runs them in order. `false`: they were rolled back, because one failed and the mode says so.
pub(super) fn run(
    tx: &mut Transaction<'_>,
    subrequests: &[Subrequest<'_>],
    rules: Rules,
) -> (Vec<Json>, bool) {
    let start = tx.savepoint();
    let mut references = References::new(rules.version);
    let mut answers = Vec::with_capacity(subrequests.len());
    for (place, subrequest) in subrequests.iter().enumerate() {
        let answer = run_one(tx, subrequest, &references, rules);
        references.remember(subrequest.reference, answer.body.as_ref());
        if rules.mode == Mode::AllOrNone && has_failed(&answer) {
            tx.rollback_to(start);
            let items = subrequests.iter().enumerate().map(|(other, subrequest)| {
                if other == place { item(subrequest, &answer) } else { item(subrequest, &halted()) }
            });
            return (items.collect(), false);
        }
        answers.push(item(subrequest, &answer));
    }
    (answers, true)
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
    let not_found =
        || Refusal::new("NOT_FOUND", "The requested resource does not exist").with_status(404);
    let mut target = Target::parse(subrequest.url).ok_or_else(not_found)?;
    for text in target.path.iter_mut().chain(target.query.iter_mut().map(|(_, value)| value)) {
        *text = references.fill_text(text)?;
    }
    if !(rules.allows)(subrequest.method, &target) {
        let words = format!("The resource is not supported in a subrequest: {}", subrequest.url);
        return Err(Refusal::new("PROCESSING_HALTED", words));
    }
    let mut body = subrequest.body.map(|body| references.fill_body(body)).transpose()?;
    if rules.mode == Mode::AllOrNone && is_collection(&target) {
        // The flag of the request around it stands over that of the collection.
        if let Some(Json::Object(fields)) = &mut body {
            fields.insert("allOrNone".to_owned(), Json::Bool(true));
        }
        target.query.retain(|(name, _)| name != "allOrNone");
        target.query.push(("allOrNone".to_owned(), "true".to_owned()));
    }
    Ok((target, body))
}

/// `composite/sobjects…`.
pub(super) fn is_collection(target: &Target) -> bool {
    let is = |place: usize, word: &str| {
        target.path.get(place).is_some_and(|segment| segment.eq_ignore_ascii_case(word))
    };
    is(0, "composite") && is(1, "sobjects")
}

/// `query` and `queryAll`.
pub(super) fn is_query(target: &Target) -> bool {
    let first = target.path.first().map(String::as_str).unwrap_or_default();
    first.eq_ignore_ascii_case("query") || first.eq_ignore_ascii_case("queryAll")
}

impl Subrequest<'_> {
    /// Of these a request may have only few.
    pub(super) fn is_heavy(&self) -> bool {
        Target::parse(self.url).is_some_and(|target| is_collection(&target) || is_query(&target))
    }
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
