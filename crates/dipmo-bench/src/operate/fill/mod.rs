//! Writes the past into a database, straight into the tables: through the store, 10 M messages with their months
//! would take hours, and would all have come today.
//!
//! **Invariant:** what is there afterwards is what the store itself would have left, row for row; what it counts is
//! compared with the past before anything is measured.

mod check;
mod copy;
mod inbox;
mod outbox;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use anyhow::Result;
use dipmo_domain::{ErrorStage, Month};
use dipmo_store::Tables;
use dipmo_store::admin::Operable;
use tokio_postgres::Client;

use super::past::{BATCH, Group, Past};
use crate::database::Database;

/// Messages of one portion of the fill.
const PORTION: u64 = 100_000;

/// Messages that are worked on at once: two transactions of a source.
const WORKED_AT_ONCE: usize = 1_000;

/// When what is tried again is due.
const HOUR: Duration = Duration::from_secs(3_600);

/// The logs that have months.
const LOGS: [&str; 3] = ["inbox_log", "outbox_log", "outbox_record_log"];

/// Makes the tables, fills them, and checks that the store finds what was filled.
pub(super) async fn run(database: &Database, store: &dyn Operable, rows: u64) -> Result<Past> {
    store.migrate(&Tables::default()).await?;
    let past = Past::new(rows, store.now().await?);
    let client = database.client();
    months(client, &past).await?;
    lanes(client).await?;
    groups(client, &past).await?;
    for first in (0..past.count()).step_by(usize::try_from(PORTION)?) {
        eprintln!("fill: {first} of {}", past.count());
        let numbers = first..past.count().min(first + PORTION);
        inbox::write(client, &past, numbers.clone()).await?;
        outbox::write(client, &past, numbers).await?;
    }
    sequences(client, &past).await?;
    eprintln!("fill: vacuum");
    client.batch_execute("vacuum analyze").await?;
    while store.fold_failures(10_000).await? > 0 {}
    database.checkpoint().await?;
    check::run(store, &past).await?;
    Ok(past)
}

/// The numbers of a batch, of which `first` is the first.
fn batch_from(first: u64, past: &Past) -> Range<u64> {
    first..past.count().min(first + WORKED_AT_ONCE as u64)
}

/// The partitions of the months before this one; the store has made the others.
async fn months(client: &Client, past: &Past) -> Result<()> {
    let now = Month::of(past.moment(100));
    let mut month = Month::of(past.began());
    while month < now {
        let (from, to) = (month.start(), month.next().start());
        for log in LOGS {
            let name = format!("{log}_{}", month.suffix());
            let bounds = format!("for values from ('{from}') to ('{to}')");
            client
                .batch_execute(&format!("create table {name} partition of {log} {bounds}"))
                .await?;
        }
        month = month.next();
    }
    Ok(())
}

/// The lanes of the destinations, which the store makes with the first unit of each.
async fn lanes(client: &Client) -> Result<()> {
    let destinations: Vec<&str> = Past::destinations().collect();
    let text = "insert into outbox_lane (destination, lane) \
                select d, l from unnest($1::varchar[]) d, generate_series(0, 63) l";
    client.execute(text, &[&destinations]).await?;
    Ok(())
}

/// The groups of failures, with the first failure of each. Their counts follow from the rows.
async fn groups(client: &Client, past: &Past) -> Result<()> {
    let mut groups: BTreeMap<i64, (Group, i64)> = BTreeMap::new();
    for number in 0..PORTION.min(past.count()) {
        let of_message = past.failure(number).map(|group| (group, Past::id(number).0));
        let of_units = past
            .units_of(number)
            .into_iter()
            .filter_map(|unit| past.unit_failure(unit).map(|group| (group, Past::unit_id(unit).0)));
        for (group, id) in of_message.into_iter().chain(of_units) {
            groups.entry(group.fingerprint().0).or_insert((group, id));
        }
    }
    let text = "insert into dipmo_failure_group (fingerprint, side, stage, code, pattern, sample_id) \
                values ($1, $2, $3, $4, $5, $6)";
    for (fingerprint, (group, id)) in groups {
        let stage = group.stage.map(ErrorStage::as_str);
        let (code, pattern) = (group.failure.code(), group.failure.pattern());
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&fingerprint, &group.side_name(), &stage, &code, &pattern, &id];
        client.execute(text, &values).await?;
    }
    Ok(())
}

/// What comes next has ids behind all that is there.
async fn sequences(client: &Client, past: &Past) -> Result<()> {
    let last = past.count().div_ceil(BATCH) * BATCH;
    let (inbox, outbox) = (Past::id(last).0, Past::intent_id(last).0);
    let text = format!("select setval('inbox_id', {inbox}), setval('outbox_id', {outbox})");
    Ok(client.batch_execute(&text).await?)
}
