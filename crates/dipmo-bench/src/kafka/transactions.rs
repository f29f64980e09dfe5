//! `kafka.transactions`: a leg that copies a topic, and the same without transactions: records are read, sent, flushed and their
//! offsets committed in the same portions.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use dipmo_inbox::Record;
use dipmo_leg_kafka::{Applied, BatchLimits, KafkaLeg, LegOptions, Outgoing};
use rdkafka::Message as _;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::message::{Headers as _, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};
use rdkafka::types::RDKafkaErrorCode;
use tokio_util::sync::CancellationToken;

use super::cluster::{Cluster, next};

/// How long nothing may move.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the leg reads ahead.
const READING: [(&str, &str); 3] = [
    ("queued.max.messages.kbytes", "16384"),
    ("queued.min.messages", "20000"),
    ("fetch.queue.backoff.ms", "5"),
];

/// Records a second of each.
pub(super) struct Rates {
    pub(super) with: f64,
    pub(super) without: f64,
}

/// Copies a topic in both ways.
pub(super) async fn run(cluster: &Cluster, topic: &str, count: u32) -> Result<Rates> {
    let to = cluster.topic("copied-bare").await?;
    let without = tokio::task::block_in_place(|| bare(cluster, topic, &to, count))?;
    Ok(Rates { with: leg(cluster, topic, count).await?, without })
}

/// The shipped leg, from its first transaction to its last.
async fn leg(cluster: &Cluster, topic: &str, count: u32) -> Result<f64> {
    let to = cluster.topic("copied").await?;
    let options = LegOptions::new(cluster.options(), "copy", &to, [topic]);
    let copy = {
        let to = to.clone();
        move |record: &Record| {
            let Record { key, headers, value, .. } = record.clone();
            Applied::Send(vec![Outgoing { topic: to.clone(), key, headers, value }])
        }
    };
    let leg = Arc::new(KafkaLeg::new(options, Arc::new(copy))?);
    let (metrics, stop) = (leg.metrics(), CancellationToken::new());
    let running = tokio::spawn({
        let stop = stop.clone();
        async move { leg.run(stop).await }
    });
    let (mut first, mut last, mut moved) = (None, 0, Instant::now());
    let rate = loop {
        let done = metrics.snapshot().records_in;
        let now = Instant::now();
        if done > last {
            (last, moved) = (done, now);
            first.get_or_insert((done, now));
        }
        if done >= u64::from(count) {
            break rate(first, done, now);
        }
        if moved.elapsed() > PATIENCE {
            bail!("the leg stands still after {done} records");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    stop.cancel();
    running.await??;
    check(cluster, &to, count)?;
    Ok(rate)
}

/// The same without transactions, from its first commit to its last.
fn bare(cluster: &Cluster, topic: &str, to: &str, count: u32) -> Result<f64> {
    let (consumer, producer) =
        (cluster.consumer_with(topic, &READING)?, cluster.producer_with("131072")?);
    let limits = BatchLimits::default();
    let (mut first, mut done) = (None, 0_u64);
    while done < u64::from(count) {
        done += portion(&consumer, &producer, to, &limits)?;
        settle(&producer)?;
        consumer.commit_consumer_state(CommitMode::Sync)?;
        first.get_or_insert((done, Instant::now()));
    }
    Ok(rate(first, done, Instant::now()))
}

/// Waits until everything is acknowledged, as the leg does. `flush` of a producer with a thread of its own waits in steps of
/// 100 ms, and would make a straw man of this.
fn settle(producer: &ThreadedProducer<DefaultProducerContext>) -> Result<()> {
    let began = Instant::now();
    while producer.in_flight_count() > 0 {
        ensure!(began.elapsed() < PATIENCE, "the broker does not answer");
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(())
}

/// Each record is there once.
fn check(cluster: &Cluster, topic: &str, count: u32) -> Result<()> {
    let consumer = cluster.consumer(topic)?;
    let mut values = HashSet::new();
    tokio::task::block_in_place(|| {
        for _ in 0..count {
            let message = next(&consumer)?;
            let value = message.payload().unwrap_or_default().to_vec();
            ensure!(values.insert(value), "a record is there twice");
        }
        Ok(())
    })
}

/// Reads what a transaction would have, and sends it.
fn portion(
    consumer: &BaseConsumer,
    producer: &ThreadedProducer<DefaultProducerContext>,
    to: &str,
    limits: &BatchLimits,
) -> Result<u64> {
    let (mut taken, mut bytes, began) = (0_u64, 0, Instant::now());
    let mut message = next(consumer)?;
    loop {
        let mut headers = OwnedHeaders::new();
        for header in message.headers().into_iter().flat_map(|headers| headers.iter()) {
            headers = headers.insert(header);
        }
        let (key, value) =
            (message.key().unwrap_or_default(), message.payload().unwrap_or_default());
        let mut record = BaseRecord::to(to).key(key).payload(value).headers(headers);
        while let Err((error, back)) = producer.send(record) {
            if error.rdkafka_error_code() != Some(RDKafkaErrorCode::QueueFull) {
                return Err(error.into());
            }
            record = back;
            std::thread::sleep(Duration::from_millis(1));
        }
        taken += 1;
        bytes += 2 * (key.len() + value.len());
        let full = taken >= u64::try_from(limits.records)? || bytes >= limits.bytes;
        if full || began.elapsed() >= limits.time {
            return Ok(taken);
        }
        message = match consumer.poll(Duration::from_millis(5)) {
            Some(polled) => polled?,
            None => return Ok(taken),
        };
    }
}

/// From the first portion to the last.
#[expect(clippy::cast_precision_loss, reason = "counts of records fit a double")]
fn rate(first: Option<(u64, Instant)>, done: u64, now: Instant) -> f64 {
    let Some((before, begun)) = first else { return 0.0 };
    (done - before) as f64 / (now - begun).as_secs_f64()
}
