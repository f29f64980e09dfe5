//! Lists of messages.

use dipmo_domain::{DedupeKey, InboxId, InboxStatus, StoreError};
use dipmo_store::admin::{Listing, MessageFilter, MessageLine, Page, Waits};
use tokio_postgres::Row;

use super::source::{Compared, FEW, Lines, Source};
use crate::listing::{self, MESSAGES, Mark, Search};
use crate::rows;
use crate::sql::{self, Param, Which, params};
use crate::store::PostgresStore;
use crate::types::{PgTime, PgUuid};

/// The parameters of lines: [`Search::list`] knows three, and [`wanted`] the others.
const LINES: Lines = Lines {
    params: 15,
    aside: "($11::varchar is null or e.error_code = $11) \
            and ($5::varchar is null or $5 = 'parked' or e.held) \
            and ($12::int8 is null or e.fingerprint = $12 and e.status <> 'PROCESSED')",
};

/// One page.
pub(super) async fn list(
    store: &PostgresStore,
    filter: &MessageFilter,
    page: Page,
) -> Result<Listing<MessageLine>, StoreError> {
    let MessageFilter { topic, event_type, source_system, aggregate, .. } = filter;
    let MessageFilter { message_id, error_code, text, .. } = filter;
    let texts = [topic, event_type, source_system, aggregate, message_id, error_code, text];
    if listing::has_nul(texts) {
        return Ok(listing::nothing());
    }
    let times = (filter.since, filter.until);
    let mut search = Search::begin(store, MESSAGES, page, times).await?;
    let mut source = Source::Log;
    if let Some(key) = dedupe_key(filter) {
        let call = sql::inbox_duplicates().with(params![vec![PgUuid(*key.as_bytes())]]);
        let known = search.ask(call).await?;
        // An id that is not known is that of no message: 0 is nobody's.
        search.only(known.first().map_or(0, |row| row.get(2)));
    } else {
        source = choose(filter, has_few(&mut search, filter).await?);
        if let Some(end) = source.end(Which::Inbox) {
            let most = source.most(compared(filter, &source), page);
            search.end_at(end, most, source.keys(Which::Inbox)).await?;
        }
    }
    let mut params = wanted(filter);
    params.extend(source.keys(Which::Inbox));
    let mark = |line: &MessageLine| Mark { id: line.id.0, at: line.received_at };
    search.list(source.messages(LINES), params, line, mark).await
}

/// The key of the one message that is asked for, when its id and source are said. A column that could not
/// hold all of a text has the beginning of it, a tilde and a hash: of that no key can be made.
fn dedupe_key(filter: &MessageFilter) -> Option<DedupeKey> {
    let (source, id) = (filter.source_system.as_ref()?, filter.message_id.as_ref()?);
    let is_whole = !source.contains('~') && !id.contains('~');
    is_whole.then(|| DedupeKey::of(source, id))
}

async fn has_few(search: &mut Search, filter: &MessageFilter) -> Result<bool, StoreError> {
    let Some(aggregate) = &filter.aggregate else { return Ok(false) };
    let rows = search.ask(sql::message_few().with(params![aggregate.clone(), FEW])).await?;
    Ok(rows[0].get(0))
}

fn choose(filter: &MessageFilter, few: bool) -> Source {
    let asked: Vec<InboxStatus> = match filter.waits {
        Some(_) if filter.status.is_empty() => vec![InboxStatus::Received, InboxStatus::Retry],
        None if filter.status.is_empty() => InboxStatus::ALL.to_vec(),
        _ => filter.status.clone(),
    };
    let has = |status| asked.contains(&status);
    // Each once: a row would be found as often as its status is said.
    let names = InboxStatus::ALL.iter().filter(|status| asked.contains(status));
    let names = names.map(|status| status.as_str()).collect();
    match (&filter.aggregate, filter.failure) {
        (Some(aggregate), _) if few => Source::Aggregate(aggregate.clone()),
        (_, Some(group)) => Source::Group(group),
        _ if filter.waits.is_some() || filter.error_code.is_some() => Source::Aside(names),
        _ if has(InboxStatus::Processed) => Source::Log,
        _ if has(InboxStatus::Received) => Source::Open(names, None),
        _ => Source::Aside(names),
    }
}

/// What has to be compared of what a source finds.
fn compared(filter: &MessageFilter, source: &Source) -> Compared {
    let MessageFilter { topic, event_type, source_system, aggregate, message_id, .. } = filter;
    let texts = [topic, event_type, source_system, aggregate, message_id];
    let logged = filter.since.or(filter.until).is_some() || texts.into_iter().any(Option::is_some);
    let found_by_status = matches!(source, Source::Aside(_) | Source::Open(..));
    let stands = filter.waits.is_some()
        || filter.error_code.is_some()
        || filter.failure.is_some()
        || !filter.status.is_empty() && !found_by_status;
    Compared::of(filter.text.is_some(), logged, stands)
}

/// The parameters that say what is wanted, in the order of `message_lines`.
fn wanted(filter: &MessageFilter) -> Vec<Param> {
    let status: Vec<&str> = filter.status.iter().map(|status| status.as_str()).collect();
    let waits = filter.waits.map(|waits| match waits {
        Waits::Held => "held",
        Waits::Parked => "parked",
    });
    params![
        Some(status).filter(|status| !status.is_empty()),
        waits,
        filter.topic.clone(),
        filter.event_type.clone(),
        filter.source_system.clone(),
        filter.aggregate.clone(),
        filter.message_id.clone(),
        filter.error_code.clone(),
        filter.failure.map(|group| group.0),
        filter.since.map(PgTime),
        filter.until.map(PgTime),
        filter.text.clone(),
    ]
}

fn line(row: &Row) -> Result<MessageLine, StoreError> {
    Ok(MessageLine {
        id: InboxId(row.get(0)),
        message_id: row.get(1),
        source_system: row.get(2),
        topic: row.get(3),
        partition: row.get(4),
        offset: row.get(5),
        aggregate_id: row.get(6),
        event_type: row.get(7),
        received_at: row.get::<_, PgTime>(8).0,
        lane: rows::lane(row.get(9))?,
        status: rows::name(row.get(10))?,
        attempts: u32::try_from(row.get::<_, i32>(11)).unwrap_or(0),
        next_attempt_at: rows::time(row, 12),
        processed_at: rows::time(row, 13),
        outcome: row.get::<_, Option<&str>>(14).map(rows::name).transpose()?,
        parked: row.get(15),
        held_behind: row.get::<_, Option<i64>>(16).map(InboxId),
        error_stage: row.get::<_, Option<&str>>(17).map(rows::name).transpose()?,
        failure: rows::failure(row, 18),
    })
}
