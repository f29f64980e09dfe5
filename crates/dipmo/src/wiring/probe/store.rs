//! The database: its schema, instances in states that are gone, and SQL of the file's own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dipmo_config::Problem;
use dipmo_domain::StoreError;
use dipmo_store::{Probed, Store};
use tokio::time::timeout;

use super::Row;
use crate::wiring::Pipeline;
use crate::wiring::opening::slow;
use crate::wiring::problem::coded;
use crate::wiring::store::Kind;

/// Asks the database, as it is.
pub(super) async fn ask(pipeline: &Pipeline, within: Duration) -> Vec<Row> {
    if !pipeline.has_store() {
        return Vec::new();
    }
    let at = pipeline.store.name();
    if let Some(row) = not_there(pipeline, at) {
        return vec![row];
    }
    let store: Arc<dyn Store> = match pipeline.open_as_it_is(within).await {
        Ok(store) => store,
        Err(problem) => return vec![Row::wrong(at, "connection", problem)],
    };
    let mut rows = vec![Row::ok(at, "connection", "it answers")];
    let questions = questions(pipeline, &store, at);
    match timeout(within, questions).await.unwrap_or_else(|_| Err(slow())) {
        Ok(more) => rows.extend(more),
        Err(error) => rows.push(Row::wrong(at, "schema", pipeline.about_store(&error))),
    }
    rows
}

/// Opening a file that is not there would make it.
fn not_there(pipeline: &Pipeline, at: &str) -> Option<Row> {
    let Kind::Sqlite(options) = &pipeline.store.kind else { return None };
    let path = options.url.trim_start_matches("sqlite:");
    if path == ":memory:" {
        return Some(Row::ok(at, "connection", "in memory: there is nothing to ask"));
    }
    let error = StoreError::SchemaMissing { problem: "the file is not there yet".to_owned() };
    let problem = warning(pipeline.about_store(&error));
    (!Path::new(path).exists()).then(|| Row::wrong(at, "schema", problem))
}

async fn questions(
    pipeline: &Pipeline,
    store: &Arc<dyn Store>,
    at: &str,
) -> Result<Vec<Row>, StoreError> {
    let status = store.status(&pipeline.tables).await?;
    let mut rows = Vec::new();
    if let Err(error) = &status.may_run {
        // A schema that is behind is made by `run`; one that is ahead, or was changed, is not.
        let problem = pipeline.about_store(error);
        let is_behind = matches!(error, StoreError::SchemaMissing { .. });
        let problem = if is_behind { warning(problem) } else { problem };
        rows.push(Row::wrong(at, "schema", problem));
        return Ok(rows);
    }
    let steps = status.applied.len();
    rows.push(Row::ok(at, "schema", format!("{steps} migrations are applied")));
    for orphan in &status.orphans {
        let answer = "no process is declared for it; it stays, with its rows";
        rows.push(Row::ok(at, format!("table {}", orphan.table), answer));
    }
    let plan = store.plan(&pipeline.tables).await?;
    if !plan.is_empty() {
        let tables: Vec<&str> = plan.tables.iter().map(|it| it.table.as_str()).collect();
        let states = plan.states.iter().map(|it| it.process.as_str());
        let names: Vec<&str> = tables.iter().copied().chain(states).collect();
        let problem = format!("`migrate` has yet to change {}", names.join(", "));
        let error = StoreError::SchemaMissing { problem };
        rows.push(Row::wrong(at, "tables", warning(pipeline.about_store(&error))));
    }
    rows.extend(strays(pipeline, store, at).await?);
    if plan.tables.is_empty() {
        rows.extend(sql(pipeline, store, at).await?);
    }
    Ok(rows)
}

/// Instances in states that their process does not have any more.
async fn strays(
    pipeline: &Pipeline,
    store: &Arc<dyn Store>,
    at: &str,
) -> Result<Vec<Row>, StoreError> {
    let strays = store.strays(&pipeline.tables).await?;
    let row = |stray: dipmo_store::Stray| {
        let what = format!("process {}", stray.process);
        let (count, state, ids) = (stray.count, &stray.state, stray.ids.join(", "));
        if stray.newer {
            let answer = format!("{count} in {state}, which a newer version knows");
            return Row::ok(at, what, answer);
        }
        let place = pipeline.config.processes.entry(&stray.process).map(|(name, _)| name.place);
        let error = StoreError::StatesGone { strays: format!("{count} in {state} ({ids})") };
        let map = format!("`dipmo migrate apply --map {}.{state}=…` moves them", stray.process);
        Row::wrong(at, what, coded(&error, place).hint(map))
    };
    Ok(strays.into_iter().map(row).collect())
}

/// Each query and statement, read and planned by the database.
async fn sql(
    pipeline: &Pipeline,
    store: &Arc<dyn Store>,
    at: &str,
) -> Result<Vec<Row>, StoreError> {
    let queries: Vec<_> = pipeline.declared.queries.values().cloned().collect();
    let statements: Vec<_> = pipeline.declared.statements.values().cloned().collect();
    if queries.is_empty() && statements.is_empty() {
        return Ok(Vec::new());
    }
    let kinds = queries.iter().map(|_| "query").chain(statements.iter().map(|_| "statement"));
    let probed = store.probe(&queries, &statements).await?;
    Ok(probed
        .iter()
        .zip(kinds)
        .map(|(probed, kind)| explained(pipeline, probed, kind, at))
        .collect())
}

fn explained(pipeline: &Pipeline, probed: &Probed, kind: &str, at: &str) -> Row {
    let what = format!("{kind} {}", probed.name);
    let Some(complaint) = &probed.complaint else {
        return Row::ok(at, what, "the database would run it");
    };
    let config = &pipeline.config;
    let text = match kind {
        "query" => config.queries.get(probed.name).map(|it| &it.sql),
        _ => config.statements.get(probed.name).map(|it| &it.sql),
    };
    let place = text.map(|text| match complaint.place {
        Some(found) => text.locate(&pipeline.files, found.start..found.end),
        None => text.place,
    });
    Row::wrong(at, what, coded(&complaint.error, place))
}

/// What `run` puts right by itself is no error.
fn warning(problem: Problem) -> Problem {
    Problem { severity: dipmo_config::Severity::Warning, ..problem }
}
