//! `service.soak_*`: Kafka, inbox, a declared process, outbox, Kafka and Salesforce, for minutes at half of
//! what it does at most: what waits and what memory it takes must stay where they are.

mod book;
mod road;
mod samples;

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::database::{Database, with_database};
use crate::kafka::cluster::Cluster;
use crate::report::Row;
use road::Road;
use samples::Samples;

/// A broker that was just started compiles its code meanwhile.
const WARM_UP: u32 = 50_000;

/// How often to look.
const LOOK: Duration = Duration::from_secs(2);

/// How much to send, and for how long.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// How many messages the top speed is measured with.
    pub(super) messages: u32,
    pub(super) seconds: u32,
}

/// Measures the top speed, goes on at half of it, and checks that everything arrived.
pub(super) async fn run(server: &str, kafka: &str, plan: Plan) -> Result<Vec<Row>> {
    let kafka = Cluster::new(kafka);
    with_database(server, async |database| soak(database, &kafka, plan).await).await
}

async fn soak(database: &Database, kafka: &Cluster, plan: Plan) -> Result<Vec<Row>> {
    let mut road = Road::open(database, kafka).await?;
    road.send(WARM_UP)?;
    road.until_empty().await?;
    let began = Instant::now();
    road.send(plan.messages)?;
    road.until_empty().await?;
    let top = f64::from(plan.messages) / began.elapsed().as_secs_f64();
    let rate = (top / 2.0) as u32;
    eprintln!("top speed {top:.0}/s; for {} s at {rate}/s", plan.seconds);

    let (mut samples, mut looked) = (Samples::default(), Instant::now());
    for second in 1..=plan.seconds {
        road.send_steadily(rate).await?;
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            let sample = road.look().await?;
            if second.is_multiple_of(30) {
                let (depth, memory) = (sample.depth, sample.megabytes);
                eprintln!("{second} s: {depth:.0} on their way, {memory:.0} MB");
            }
            samples.push(sample);
        }
    }
    road.until_empty().await?;
    road.close(kafka).await?;

    let (early, late) = samples.early_and_late(|sample| sample.depth);
    let (lean, fat) = samples.early_and_late(|sample| sample.megabytes);
    Ok(vec![
        Row::plain("service.top", top, "msg/s"),
        Row::plain("service.soak_rate", f64::from(rate), "msg/s"),
        Row::plain("service.soak_seconds", f64::from(plan.seconds), "s"),
        Row::plain("service.soak_depth", samples.median(|sample| sample.depth), "msg"),
        // So many seconds of the load came on top of what waited: 0 is flat.
        Row::plain("service.soak_depth_growth", (late - early) / f64::from(rate), "s"),
        Row::plain("service.soak_oldest", samples.greatest(|it| it.oldest.as_secs_f64()), "s"),
        Row::plain("service.soak_memory_mb", samples.greatest(|sample| sample.megabytes), "MB"),
        Row::plain("service.soak_memory_growth", (fat / lean - 1.0) * 100.0, "%"),
    ])
}
