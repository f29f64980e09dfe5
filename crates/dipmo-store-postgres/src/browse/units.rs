//! Lists of units: intents without records, and records.

use dipmo_domain::{InboxId, OutboxId, OutboxStatus, RecordKey, StoreError};
use dipmo_outbox::JobId;
use dipmo_store::admin::{Listing, Page, UnitFilter, UnitLine, Waits};
use tokio_postgres::Row;

use super::source::{Compared, FEW, Lines, Source, with_types};
use crate::dispatch::destination;
use crate::listing::{self, Mark, Search, UNITS};
use crate::rows;
use crate::sql::{self, Param, Which, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

/// The parameters of lines: [`Search::list`] knows three, and [`wanted`] the others.
const LINES: Lines = Lines {
    params: 16,
    aside: "($12::varchar is null or e.error_code = $12) and (not $5::bool or e.held) \
            and ($6::varchar is null or e.queue = $6) \
            and ($13::int8 is null or e.fingerprint = $13 \
            and e.status <> 'DISPATCHED' and e.outcome is null)",
};

/// One page.
pub(super) async fn list(
    store: &PostgresStore,
    filter: &UnitFilter,
    page: Page,
) -> Result<Listing<UnitLine>, StoreError> {
    let UnitFilter { event_type, aggregate, record, error_code, text, .. } = filter;
    let never = filter.waits == Some(Waits::Parked);
    if never || listing::has_nul([event_type, aggregate, record, error_code, text]) {
        return Ok(listing::nothing());
    }
    let mut search = Search::begin(store, UNITS, page, (filter.since, filter.until)).await?;
    let source = choose(filter, has_few(&mut search, filter).await?);
    if let Some(end) = source.end(Which::Outbox) {
        let most = source.most(compared(filter, &source), page);
        search.end_at(end, most, source.keys(Which::Outbox)).await?;
    }
    let mut params = wanted(filter);
    params.extend(source.keys(Which::Outbox));
    let mark = |line: &UnitLine| Mark { id: line.id.0, at: line.created_at };
    search.list(source.units(LINES), params, line, mark).await
}

async fn has_few(search: &mut Search, filter: &UnitFilter) -> Result<bool, StoreError> {
    let Some(aggregate) = &filter.aggregate else { return Ok(false) };
    let call = with_types(sql::intents_few()).with(params![aggregate.clone(), FEW]);
    Ok(search.ask(call).await?[0].get(0))
}

fn choose(filter: &UnitFilter, few: bool) -> Source {
    let asked: Vec<OutboxStatus> = match filter.waits {
        Some(_) if filter.status.is_empty() => vec![OutboxStatus::Pending],
        None if filter.status.is_empty() => OutboxStatus::ALL.to_vec(),
        _ => filter.status.clone(),
    };
    let has = |status| asked.contains(&status);
    // Each once: a row would be found as often as its status is said.
    let names = OutboxStatus::ALL.iter().filter(|status| asked.contains(status));
    let names = names.map(|status| status.as_str()).collect();
    let destination = || filter.destination.as_ref().map(ToString::to_string);
    match filter {
        UnitFilter { intent: Some(intent), .. } => Source::Intent(*intent),
        UnitFilter { cause: Some(message), .. } => Source::Cause(*message),
        UnitFilter { aggregate: Some(aggregate), .. } if few => {
            Source::Aggregate(aggregate.clone())
        }
        UnitFilter { failure: Some(group), .. } => Source::Group(*group),
        _ if filter.waits.is_some() || filter.error_code.is_some() => Source::Aside(names),
        _ if has(OutboxStatus::Dispatched) => Source::Log,
        _ if has(OutboxStatus::Pending) => Source::Open(names, destination()),
        _ => Source::Aside(names),
    }
}

/// What has to be compared of what a source finds.
fn compared(filter: &UnitFilter, source: &Source) -> Compared {
    let texts = [&filter.event_type, &filter.aggregate, &filter.record];
    let logged = filter.since.or(filter.until).is_some() || texts.into_iter().any(Option::is_some);
    let found_by_status = matches!(source, Source::Aside(_) | Source::Open(..));
    let stands = filter.waits.is_some()
        || filter.error_code.is_some()
        || filter.failure.is_some()
        || filter.destination.is_some()
        || !filter.status.is_empty() && !found_by_status;
    Compared::of(filter.text.is_some(), logged, stands)
}

/// The parameters that say what is wanted, in the order of `intent_lines` and `record_lines`.
fn wanted(filter: &UnitFilter) -> Vec<Param> {
    let status: Vec<&str> = filter.status.iter().map(|status| status.as_str()).collect();
    params![
        Some(status).filter(|status| !status.is_empty()),
        filter.waits == Some(Waits::Held),
        filter.destination.as_ref().map(ToString::to_string),
        filter.event_type.clone(),
        filter.aggregate.clone(),
        filter.record.clone(),
        filter.intent.map(|intent| intent.0),
        filter.cause.map(|message| message.0),
        filter.error_code.clone(),
        filter.failure.map(|group| group.0),
        filter.since.map(PgTime),
        filter.until.map(PgTime),
        filter.text.clone(),
    ]
}

fn line(row: &Row) -> Result<UnitLine, StoreError> {
    Ok(UnitLine {
        id: OutboxId(row.get(0)),
        intent: OutboxId(row.get(1)),
        record: row.get::<_, Option<String>>(2).map(RecordKey),
        destination: destination(row.get(3))?,
        aggregate_type: row.get(4),
        aggregate_id: row.get(5),
        event_type: row.get(6),
        cause: row.get::<_, Option<i64>>(7).map(InboxId),
        created_at: row.get::<_, PgTime>(8).0,
        status: rows::name(row.get(9))?,
        attempts: u32::try_from(row.get::<_, i32>(10)).unwrap_or(0),
        next_attempt_at: rows::time(row, 11),
        dispatched_at: rows::time(row, 12),
        external_ref: row.get(13),
        held_behind: row.get::<_, Option<i64>>(14).map(OutboxId),
        job: row.get::<_, Option<i64>>(15).map(JobId),
        skipped: row.get(16),
        failure: rows::failure(row, 17),
        resend_of: row.get::<_, Option<i64>>(19).map(OutboxId),
    })
}
