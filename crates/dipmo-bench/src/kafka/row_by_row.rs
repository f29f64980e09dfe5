//! `kafka.ingest_row_by_row`: the way of the seeds, one INSERT and one commit for each record.

use std::time::Instant;

use anyhow::Result;
use rdkafka::Message as _;
use rdkafka::consumer::BaseConsumer;

use super::cluster::{self, Cluster};
use crate::database::Database;

/// How many records are measured: it is slow.
const RECORDS: u32 = 5_000;

/// The columns of the seeds' INBOX that an insert fills, and its dedupe key.
const TABLE: &str = "\
create table bench_inbox (
    id bigint generated always as identity primary key,
    message_id varchar(200) not null, source_system varchar(100) not null,
    topic varchar(200) not null, partition_num integer not null, offset_num bigint not null,
    key_str varchar(4000), aggregate_id varchar(200), event_type varchar(200),
    payload jsonb, status varchar(20) not null default 'RECEIVED',
    received_at timestamptz not null default now(),
    unique (source_system, message_id));
create index on bench_inbox (status, received_at);
create index on bench_inbox (aggregate_id)";

const INSERT: &str = "\
insert into bench_inbox (message_id, source_system, topic, partition_num, offset_num, key_str,
    aggregate_id, event_type, payload)
values ($1, 'crm', $2, $3, $4, $5, $5, 'AccountUpdated', $6::text::jsonb)
on conflict (source_system, message_id) do nothing";

/// Messages a second.
pub(super) async fn run(database: &Database, cluster: &Cluster, topic: &str) -> Result<f64> {
    let client = database.client();
    client.batch_execute(TABLE).await?;
    let insert = client.prepare(INSERT).await?;
    let consumer = cluster.consumer(topic)?;
    let mut record = next(&consumer)?;
    let begun = Instant::now();
    for number in 0..RECORDS {
        let id = format!("{topic}:{}:{}", record.partition, record.offset);
        let Polled { partition, offset, key, value } = &record;
        client.execute(&insert, &[&id, &topic, partition, offset, key, value]).await?;
        if number + 1 < RECORDS {
            record = next(&consumer)?;
        }
    }
    let taken = begun.elapsed();
    client.batch_execute("drop table bench_inbox").await?;
    Ok(f64::from(RECORDS) / taken.as_secs_f64())
}

struct Polled {
    partition: i32,
    offset: i64,
    key: String,
    value: String,
}

fn next(consumer: &BaseConsumer) -> Result<Polled> {
    let message = tokio::task::block_in_place(|| cluster::next(consumer))?;
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into();
    Ok(Polled {
        partition: message.partition(),
        offset: message.offset(),
        key: text(message.key()),
        value: text(message.payload()),
    })
}
