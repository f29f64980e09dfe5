//! `query` and `queryAll`: SOQL, in pages.

use serde_json::{Value as Json, json};

use super::request::{DataAnswer, DataRequest, Method};
use super::url::version_path;
use crate::org::id::IdText;
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
        _ => Err(Refusal::not_found()),
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
    let outcome = soql::run(tx, text.unwrap_or_default(), scope)?;
    if request.query.iter().any(|(name, value)| name == "columns" && value == "true") {
        return Ok(outcome.columns(tx.schema()));
    }
    match outcome {
        Outcome::Count(count) => Ok(json!({ "totalSize": count, "done": true, "records": [] })),
        Outcome::Aggregate(result) => {
            Ok(json!({ "totalSize": 1, "done": true, "records": [result] }))
        }
        Outcome::Records(found) => {
            let page = found.page(tx, 0, page_size(request), request.version);
            let cursor = page.next.is_some().then(|| soql::keep(tx, found));
            Ok(show(&page, request, cursor.as_ref()))
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
        return Err(Refusal::not_found());
    }
    let place =
        locator.split_once('-').and_then(|(cursor, from)| Some((cursor, from.parse().ok()?)));
    let open = place.and_then(|(cursor, from)| Some((soql::resume(tx, cursor)?, from)));
    let Some(((cursor, found), from)) = open else {
        return Err(Refusal::new("INVALID_QUERY_LOCATOR", "invalid query locator"));
    };
    let page = found.page(tx, from, page_size(request), request.version);
    Ok(show(&page, request, Some(&cursor)))
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

fn show(page: &Page, request: &DataRequest<'_>, cursor: Option<&IdText>) -> Json {
    let mut body = json!({
        "totalSize": page.total,
        "done": page.next.is_none(),
        "records": page.records,
    });
    if let (Some(next), Some(cursor)) = (page.next, cursor) {
        let base = version_path(request.version);
        body["nextRecordsUrl"] = format!("{base}/query/{cursor}-{next}").into();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fixture::Fixture;

    fn crowd(number: usize) -> Fixture {
        let mut fixture = Fixture::new("{}");
        for at in 0..number {
            fixture.insert("Account", &json!({ "Name": at.to_string() }));
        }
        fixture
    }

    fn next(fixture: &mut Fixture, body: &Json) -> DataAnswer {
        fixture.ask_with(Method::Get, body["nextRecordsUrl"].as_str().unwrap(), None, &[])
    }

    #[test]
    fn more_than_a_page_is_fetched_page_by_page() {
        let mut fixture = crowd(4500);
        let first = fixture.query("SELECT Name FROM Account").body.unwrap();
        assert_eq!((&first["totalSize"], &first["done"]), (&json!(4500), &json!(false)));
        let url = first["nextRecordsUrl"].as_str().unwrap();
        let locator = url.strip_prefix("/services/data/v62.0/query/01g").unwrap();
        assert_eq!(locator.len(), "XXXXXXXXXXXXXXX-2000".len());
        assert!(locator.ends_with("-2000"));

        let second = next(&mut fixture, &first).body.unwrap();
        let third = next(&mut fixture, &second).body.unwrap();
        assert_eq!((&third["totalSize"], &third["done"]), (&json!(4500), &json!(true)));
        assert!(third.get("nextRecordsUrl").is_none());
        let names: Vec<&str> = [&first, &second, &third]
            .into_iter()
            .flat_map(|page| page["records"].as_array().unwrap())
            .map(|record| record["Name"].as_str().unwrap())
            .collect();
        let expected: Vec<String> = (0..4500).map(|at: usize| at.to_string()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn the_size_of_a_page_is_between_200_and_2000() {
        let mut fixture = crowd(2100);
        for (options, expected) in [
            ("batchSize=250", 250),
            ("batchsize = 1", 200),
            ("batchSize=9999", 2000),
            ("batchSize=x", 2000),
            ("other=1,batchSize=300", 300),
            ("", 2000),
        ] {
            let headers = [("sforce-query-options".to_owned(), options.to_owned())];
            let url = "/services/data/v62.0/query?q=SELECT+Id+FROM+Account";
            let body = fixture.ask_with(Method::Get, url, None, &headers).body.unwrap();
            assert_eq!(body["records"].as_array().unwrap().len(), expected, "{options}");
        }
    }

    #[test]
    fn a_cursor_is_closed_by_the_tenth_after_it() {
        let mut fixture = crowd(2001);
        let first = fixture.query("SELECT Id FROM Account").body.unwrap();
        for _ in 0..9 {
            fixture.query("SELECT Id FROM Account");
        }
        assert_eq!(next(&mut fixture, &first).status, 200);
        fixture.query("SELECT Id FROM Account");
        let refused = next(&mut fixture, &first);
        assert_eq!(refused.status, 400);
        assert_eq!(refused.body.unwrap()[0]["errorCode"], "INVALID_QUERY_LOCATOR");
    }

    #[test]
    fn a_locator_that_was_never_given_is_refused() {
        let mut fixture = Fixture::new("{}");
        for (path, status) in [
            ("query/01g000000000000AAA-2000", 400),
            ("query/01g000000000000AAA", 400),
            ("query/-", 400),
            ("query/a-99999999999999999999999", 400),
            ("query/a/b", 404),
            ("parameterizedSearch", 404),
            ("tooling/query", 404),
        ] {
            assert_eq!(fixture.ask(Method::Get, path, None).status, status, "{path}");
        }
        assert_eq!(fixture.ask(Method::Post, "query", None).status, 405);
        assert_eq!(fixture.ask(Method::Get, "query", None).status, 400);
    }

    #[test]
    fn what_vanished_between_two_pages_is_left_out() {
        let mut fixture = crowd(2001);
        let first = fixture.query("SELECT Id FROM Account").body.unwrap();
        let last = fixture.column("SELECT Id FROM Account OFFSET 2000", "Id");
        fixture.delete(last[0].as_str().unwrap());
        let second = next(&mut fixture, &first).body.unwrap();
        assert_eq!((&second["records"], &second["done"]), (&json!([]), &json!(true)));
    }

    #[test]
    fn the_bin_is_seen_by_those_who_ask_and_the_erased_by_nobody() {
        let mut fixture = crowd(2002);
        let url = "/services/data/v62.0/queryAll?q=SELECT+Id+FROM+Account";
        let first = fixture.ask_with(Method::Get, url, None, &[]).body.unwrap();
        let last = fixture.column("SELECT Id FROM Account OFFSET 2000", "Id");
        fixture.delete(last[0].as_str().unwrap());
        fixture.transact(|tx| {
            let record = tx.resolve_any(last[1].as_str().unwrap()).unwrap();
            tx.erase(record).unwrap();
        });
        let second = next(&mut fixture, &first).body.unwrap();
        let shown = second["records"].as_array().unwrap();
        assert_eq!(shown.len(), 1, "{second}");
        assert_eq!(shown[0]["Id"], last[0]);
    }
}
