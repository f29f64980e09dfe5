//! `composite/batch`: up to 25 subrequests that know nothing of each other.

use serde_json::{Value as Json, json};

use super::composite::flag;
use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::{method, unreadable};
use super::url::Target;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

const MAX_SUBREQUESTS: usize = 25;

struct Subrequest<'a> {
    method: Method,
    url: &'a str,
    body: Option<&'a Json>,
}

/// Runs the subrequests in order, each for itself.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    if request.method != Method::Post {
        return request.method_not_allowed("POST").into();
    }
    run_all(tx, request).unwrap_or_else(DataAnswer::from)
}

fn run_all(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> Result<DataAnswer, Refusal> {
    let body = request.body.ok_or_else(|| unreadable("Missing required field: batchRequests"))?;
    let halt_on_error = flag(body, "haltOnError")?;
    let mut has_errors = false;
    let mut results = Vec::new();
    for subrequest in read(body)? {
        let answer = if has_errors && halt_on_error {
            Refusal::new("BATCH_PROCESSING_HALTED", "Batch processing halted per request")
                .with_status(412)
                .into()
        } else {
            run_one(tx, request, &subrequest)
        };
        has_errors |= answer.status >= 400;
        results.push(json!({ "statusCode": answer.status, "result": answer.body }));
    }
    Ok(DataAnswer::json(200, json!({ "hasErrors": has_errors, "results": results })))
}

fn read(body: &Json) -> Result<Vec<Subrequest<'_>>, Refusal> {
    let list = body.get("batchRequests").and_then(Json::as_array);
    let list = list.ok_or_else(|| unreadable("Missing required field: batchRequests"))?;
    if list.len() > MAX_SUBREQUESTS {
        let words = "The request can’t contain more than 25 operations.";
        return Err(Refusal::new("LIMIT_EXCEEDED", words));
    }
    let text = |json: &'_ Json, name: &str| {
        json.get(name)
            .and_then(Json::as_str)
            .map(str::to_owned)
            .ok_or_else(|| unreadable(&format!("Missing required field: {name}")))
    };
    list.iter()
        .map(|json| {
            let url = json.get("url").and_then(Json::as_str);
            Ok(Subrequest {
                method: method(&text(json, "method")?)?,
                url: url.ok_or_else(|| unreadable("Missing required field: url"))?,
                body: json.get("richInput").filter(|input| !input.is_null()),
            })
        })
        .collect()
}

fn run_one(
    tx: &mut Transaction<'_>,
    request: &DataRequest<'_>,
    subrequest: &Subrequest<'_>,
) -> DataAnswer {
    // A batch's URLs begin with the version; the full ones of Composite do as well.
    let full = if subrequest.url.trim_start_matches('/').starts_with("services/") {
        subrequest.url.to_owned()
    } else {
        format!("/services/data/{}", subrequest.url.trim_start_matches('/'))
    };
    let target = Target::parse(&full).filter(|target| {
        // A batch within a batch could go on without end.
        !target.path.first().is_some_and(|first| first.eq_ignore_ascii_case("composite"))
    });
    match target {
        Some(target) => super::answer(
            tx,
            &DataRequest {
                method: subrequest.method,
                path: &target.path,
                query: &target.query,
                body: subrequest.body,
                version: target.version,
                headers: request.headers,
            },
        ),
        None => request.not_found().into(),
    }
}
