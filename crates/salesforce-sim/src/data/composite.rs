//! `composite`: up to 25 subrequests in one call, which may refer to each other.

use serde_json::{Value as Json, json};

use super::body;
use super::collate;
use super::execute::{Mode, Rules, run};
use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::{is_collection, is_query, read};
use super::url::{Target, version_path};
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
    let members = body::object(request)?;
    body::only(members, &["allOrNone", "collateSubrequests", "compositeRequest"])?;
    let all_or_none = body::flag(members, "allOrNone")?.unwrap_or(false);
    let mode = if all_or_none { Mode::AllOrNone } else { Mode::Each };
    let collated = collate::wanted(members, request.version)?;
    let subrequests = read(members, request.version)?;
    if subrequests.len() > MAX_SUBREQUESTS {
        return Ok(alone(&Refusal::too_many(MAX_SUBREQUESTS, "operations")));
    }
    if subrequests.iter().filter(|subrequest| subrequest.is_heavy()).count() > MAX_HEAVY {
        let heavy = "sObject Collections or query operations";
        return Ok(alone(&Refusal::too_many(MAX_HEAVY, heavy)));
    }
    let rules = Rules { mode, version: request.version, allows };
    let order = if collated {
        collate::order(&subrequests, &mut tx.chance("collate"))
    } else {
        (0..subrequests.len()).collect()
    };
    let (items, _) = run(tx, &subrequests, &order, rules);
    Ok(DataAnswer::json(200, json!({ "compositeResponse": items })))
}

/// Records, collections and queries; not the composite resources themselves.
fn allows(_: Method, target: &Target) -> bool {
    let first = target.path.first().map(String::as_str).unwrap_or_default();
    first.eq_ignore_ascii_case("sobjects") || is_collection(target) || is_query(target)
}

/// Salesforce says this in an item without a reference rather than by the status of the answer.
fn alone(refusal: &Refusal) -> DataAnswer {
    let item = json!({
        "body": [refusal.in_rest()],
        "httpHeaders": {},
        "httpStatusCode": refusal.status,
        "referenceId": null,
    });
    DataAnswer::json(200, json!({ "compositeResponse": [item] }))
}

fn resources(version: u32) -> Json {
    let base = version_path(version);
    let url = |name: &str| format!("{base}/composite/{name}");
    json!({
        "tree": url("tree"),
        "batch": url("batch"),
        "sobjects": url("sobjects"),
        "graph": url("graph"),
    })
}
