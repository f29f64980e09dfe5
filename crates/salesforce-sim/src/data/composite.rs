//! `composite`: up to 25 subrequests in one call, which may refer to each other.

use serde_json::{Value as Json, json};

use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::{Mode, Rules, is_collection, is_query, read, run, unreadable};
use super::url::Target;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

const MAX_SUBREQUESTS: usize = 25;
/// Collections and queries among them.
const MAX_HEAVY: usize = 5;

/// `GET` lists the composite resources, `POST` runs subrequests.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    match request.method {
        Method::Get | Method::Head => DataAnswer::json(200, resources(request.version)),
        Method::Post => run_all(tx, request).unwrap_or_else(DataAnswer::from),
        Method::Put | Method::Patch | Method::Delete => {
            request.method_not_allowed("HEAD,GET,POST").into()
        }
    }
}

fn run_all(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> Result<DataAnswer, Refusal> {
    let body = request.body.ok_or_else(|| {
        unreadable("The HTTP entity body is required, but this request has no entity body.")
    })?;
    let list = body.get("compositeRequest");
    let list = list.ok_or_else(|| unreadable("Missing required field: compositeRequest"))?;
    let subrequests = read(list, request.version)?;
    if subrequests.len() > MAX_SUBREQUESTS {
        return Ok(too_many("The request can’t contain more than 25 operations."));
    }
    if subrequests.iter().filter(|subrequest| subrequest.is_heavy()).count() > MAX_HEAVY {
        return Ok(too_many(
            "The request can’t contain more than 5 sObject Collections or query operations.",
        ));
    }
    let mode = if flag(body, "allOrNone")? { Mode::AllOrNone } else { Mode::Each };
    // Reordering is allowed to Salesforce, not asked of it: the order of the request does for both.
    flag(body, "collateSubrequests")?;
    let rules = Rules { mode, version: request.version, allows };
    let (items, _) = run(tx, &subrequests, rules);
    Ok(DataAnswer::json(200, json!({ "compositeResponse": items })))
}

/// Records, collections and queries; not the composite resources themselves.
fn allows(target: &Target) -> bool {
    let first = target.path.first().map(String::as_str).unwrap_or_default();
    first.eq_ignore_ascii_case("sobjects") || is_collection(target) || is_query(target)
}

/// A flag that may be left out.
pub(super) fn flag(body: &Json, name: &str) -> Result<bool, Refusal> {
    match body.get(name) {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(other) => Err(unreadable(&format!(
            "Cannot deserialize instance of boolean from the value {other} of {name}"
        ))),
    }
}

/// Salesforce says this in an item without a reference rather than by the status of the answer.
fn too_many(words: &str) -> DataAnswer {
    let refusal = Refusal::new("LIMIT_EXCEEDED", words);
    let item = json!({
        "body": [refusal.in_rest()],
        "httpHeaders": {},
        "httpStatusCode": refusal.status,
        "referenceId": null,
    });
    DataAnswer::json(200, json!({ "compositeResponse": [item] }))
}

fn resources(version: u32) -> Json {
    let (major, minor) = (version / 10, version % 10);
    let url = |name: &str| format!("/services/data/v{major}.{minor}/composite/{name}");
    json!({
        "tree": url("tree"),
        "batch": url("batch"),
        "sobjects": url("sobjects"),
        "graph": url("graph"),
    })
}
