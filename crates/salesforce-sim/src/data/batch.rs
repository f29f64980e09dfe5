//! `composite/batch`: up to 25 subrequests that know nothing of each other.

use serde_json::{Map, Value as Json, json};

use super::body;
use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::method;
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
    let members = body::object(request)?;
    body::only(members, &["batchRequests", "haltOnError"])?;
    let halt_on_error = body::flag(members, "haltOnError")?.unwrap_or(false);
    let mut has_errors = false;
    let mut results = Vec::new();
    for subrequest in read(members)? {
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

fn read(members: &Map<String, Json>) -> Result<Vec<Subrequest<'_>>, Refusal> {
    let list = body::list(members, "batchRequests")?;
    if list.len() > MAX_SUBREQUESTS {
        return Err(Refusal::too_many(MAX_SUBREQUESTS, "operations"));
    }
    list.iter()
        .map(|json| {
            let Json::Object(members) = json else { return Err(body::unfit("object", json)) };
            Ok(Subrequest {
                method: method(body::text(members, "method")?)?,
                url: body::text(members, "url")?,
                body: members.get("richInput").filter(|input| !input.is_null()),
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
        None => Refusal::not_found().into(),
    }
}
