//! `query` and `queryAll`: SOQL, in pages.

use serde_json::{Value as Json, json};

use super::request::{DataAnswer, DataRequest, Method};
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::soql::{self, Outcome, Page, Scope};

const MAX_PAGE: usize = 2000;
const MIN_PAGE: usize = 200;

/// Runs the query in `q`, or gives the next page of an earlier one.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    if !matches!(request.method, Method::Get | Method::Head) {
        return request.method_not_allowed("HEAD,GET").into();
    }
    let body = match request.path {
        [resource] => first_page(tx, request, scope(resource)),
        [resource, locator] => next_page(tx, request, resource, locator),
        _ => Err(request.not_found()),
    };
    match body {
        Ok(body) => DataAnswer::json(200, body),
        Err(refusal) => refusal.into(),
    }
}

fn scope(resource: &str) -> Scope {
    if resource.eq_ignore_ascii_case("queryAll") { Scope::All } else { Scope::Live }
}

fn first_page(
    tx: &mut Transaction<'_>,
    request: &DataRequest<'_>,
    scope: Scope,
) -> Result<Json, Refusal> {
    let text = request.query.iter().find(|(name, _)| name == "q").map(|(_, text)| text.as_str());
    match soql::run(tx, text.unwrap_or_default(), scope)? {
        Outcome::Count(count) => Ok(json!({ "totalSize": count, "done": true, "records": [] })),
        Outcome::Records(found) => {
            let page = found.page(tx, 0, page_size(request), request.version);
            let cursor = page.next.is_some().then(|| soql::keep(tx, found));
            Ok(show(page, request, cursor.as_ref().map(|cursor| cursor.as_str())))
        }
    }
}

/// The locator is the id of a cursor and the place where the page begins: `01g…-2000`.
fn next_page(
    tx: &mut Transaction<'_>,
    request: &DataRequest<'_>,
    resource: &str,
    locator: &str,
) -> Result<Json, Refusal> {
    if !resource.eq_ignore_ascii_case("query") && !resource.eq_ignore_ascii_case("queryAll") {
        return Err(request.not_found());
    }
    let place =
        locator.split_once('-').and_then(|(cursor, from)| Some((cursor, from.parse().ok()?)));
    let open = place.and_then(|(cursor, from)| Some((soql::resume(tx, cursor)?, from)));
    let Some(((cursor, found), from)) = open else {
        return Err(Refusal::new("INVALID_QUERY_LOCATOR", "invalid query locator"));
    };
    let page = found.page(tx, from, page_size(request), request.version);
    Ok(show(page, request, Some(cursor.as_str())))
}

/// `Sforce-Query-Options: batchSize=500`.
fn page_size(request: &DataRequest<'_>) -> usize {
    let options = request.headers.iter().find(|(name, _)| name == "sforce-query-options");
    let asked = options.and_then(|(_, options)| {
        options.split(',').find_map(|option| {
            let (name, value) = option.split_once('=')?;
            let named = name.trim().eq_ignore_ascii_case("batchSize");
            named.then(|| value.trim().parse().ok())?
        })
    });
    asked.unwrap_or(MAX_PAGE).clamp(MIN_PAGE, MAX_PAGE)
}

fn show(page: Page, request: &DataRequest<'_>, cursor: Option<&str>) -> Json {
    let mut body = json!({
        "totalSize": page.total,
        "done": page.next.is_none(),
        "records": page.records,
    });
    if let (Some(next), Some(cursor)) = (page.next, cursor) {
        let (major, minor) = (request.version / 10, request.version % 10);
        body["nextRecordsUrl"] =
            format!("/services/data/v{major}.{minor}/query/{cursor}-{next}").into();
    }
    body
}
