//! Queries and statements on the tables of the suite, in words that every SQL understands.

use std::sync::Arc;

use dipmo_api::sql::{CheckedQuery, CheckedStatement, Query, Statement, ValueKind};
use dipmo_api::{DomainWrite, FactDefinition, FactRequest, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_store::{Changes, Needs, Store, Tables};

use super::{Script, batch, marker, stored};
use crate::suite_tables;

use ValueKind::{Boolean, Integer, Json, Text, Timestamp};

/// The items of a region from a number on, in order; all kinds of columns.
#[must_use]
pub fn items_from() -> Arc<CheckedQuery> {
    let sql = "select ITEM_NO, NAME, ACTIVE, SEEN_AT, DETAILS from SUITE_ITEMS \
               where REGION = :region and ITEM_NO >= :least order by ITEM_NO desc; -- newest first";
    let parameters = vec![("least", Integer), ("region", Text)];
    let columns = vec![
        ("ITEM_NO", Integer),
        ("NAME", Text),
        ("ACTIVE", Boolean),
        ("SEEN_AT", Timestamp),
        ("DETAILS", Json),
    ];
    query("items_from", sql, parameters, columns)
}

/// A label by its id, as a look-up needs it.
#[must_use]
pub fn label_of() -> Arc<CheckedQuery> {
    let sql = "select LABEL_ID as THE_KEY, CAPTION from SUITE_LABELS where LABEL_ID = :id";
    query("label_of", sql, vec![("id", Text)], vec![("THE_KEY", Text), ("CAPTION", Text)])
}

/// Fails for the one number that has no opposite.
#[must_use]
pub fn size_of() -> Arc<CheckedQuery> {
    query(
        "size_of",
        "select abs(:number) as SIZE",
        vec![("number", Integer)],
        vec![("SIZE", Integer)],
    )
}

/// Inserts a label; fails when it is there.
#[must_use]
pub fn add_label() -> Arc<CheckedStatement> {
    let sql =
        "insert into SUITE_LABELS (LABEL_ID, CAPTION, WEIGHT) values (:id, :caption, :weight)";
    statement("add_label", sql, vec![("weight", Integer), ("id", Text), ("caption", Text)])
}

/// Gives all labels but one another caption.
#[must_use]
pub fn close_others() -> Arc<CheckedStatement> {
    let sql = "update SUITE_LABELS set CAPTION = 'closed' where LABEL_ID <> :id";
    statement("close_others", sql, vec![("id", Text)])
}

/// Writes every kind of value.
#[must_use]
pub fn set_item() -> Arc<CheckedStatement> {
    let sql = "update SUITE_ITEMS set NAME = :name, ACTIVE = :active, SEEN_AT = :seen, \
               DETAILS = :details where REGION = 'EU' and ITEM_NO = :number";
    let parameters = vec![
        ("name", Text),
        ("active", Boolean),
        ("seen", Timestamp),
        ("details", Json),
        ("number", Integer),
    ];
    statement("set_item", sql, parameters)
}

/// A query.
#[must_use]
pub fn query(
    name: &'static str,
    sql: &str,
    parameters: Vec<(&'static str, ValueKind)>,
    columns: Vec<(&'static str, ValueKind)>,
) -> Arc<CheckedQuery> {
    Query { name, sql: sql.to_owned(), parameters, columns }.checked().unwrap()
}

/// A statement.
#[must_use]
pub fn statement(
    name: &'static str,
    sql: &str,
    parameters: Vec<(&'static str, ValueKind)>,
) -> Arc<CheckedStatement> {
    Statement { name, sql: sql.to_owned(), parameters }.checked().unwrap()
}

/// The tables of the suite, with all of these; a fact has the name of its query.
#[must_use]
pub fn sql_tables() -> Tables {
    let mut tables = suite_tables();
    let queries = [items_from(), label_of(), size_of()];
    tables.facts.extend(queries.map(|query| FactDefinition::query(query.name(), query)));
    tables.statements = vec![add_label(), close_others(), set_item()];
    tables
}

/// Reads facts in one wave of a batch; the rows of each.
///
/// # Errors
/// Those of the store.
pub async fn ask(
    store: &dyn Store,
    requests: &[FactRequest],
) -> Result<Vec<Vec<FactRow>>, StoreError> {
    stored(store, &[marker()]).await;
    let needs = Needs { facts: requests.to_vec(), ..Needs::default() };
    let ran = batch(store, Script::reading(needs)).await?;
    let facts = &ran.found[0].facts;
    Ok(requests.iter().map(|request| facts.rows(request).to_vec()).collect())
}

/// Writes in one wave of a batch.
///
/// # Errors
/// Those of the store.
pub async fn write(store: &dyn Store, writes: Vec<DomainWrite>) -> Result<(), StoreError> {
    stored(store, &[marker()]).await;
    let script = Script::writing(|_| Changes { writes, ..Changes::default() });
    batch(store, script).await.map(|_| ())
}

/// A label to add.
#[must_use]
pub fn label(id: &str, caption: &str) -> DomainWrite {
    DomainWrite::run(add_label()).set("id", id).set("caption", caption).set("weight", Value::Null)
}
