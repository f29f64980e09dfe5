//! `kafka.memory_mb`: dipmo alone in its process, far behind the end of a topic.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use dipmo_processing::Role;
use tokio::process::Command;

use super::cluster::Cluster;
use super::ingest::Reading;
use crate::bed::{self, Bed};
use crate::database::with_database;
use crate::load::Load;
use crate::process::Topics;
use crate::resident::peak_kilobytes;

/// Options of the process that is measured.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    #[arg(long)]
    postgres: String,
    /// The broker.
    #[arg(long)]
    kafka: String,
    /// The topic to read.
    #[arg(long)]
    heard: String,
    /// The topic to write.
    #[arg(long)]
    told: String,
    /// Stop when so many are delivered, and say how much memory it took at most.
    #[arg(long)]
    messages: u64,
}

/// Runs as the process that is measured; prints one number.
pub(crate) async fn run(args: &Args) -> Result<()> {
    let cluster = Cluster::new(&args.kafka);
    let topics = Topics { heard: args.heard.clone(), told: args.told.clone() };
    let bed = Bed::between(&args.postgres, topics).await?;
    let running = bed.start(&Role::ALL, cluster.publisher()?);
    let reading = Reading::start(cluster.source(&args.heard, Arc::clone(&bed.store))?);
    running.until(bed::dispatched, args.messages).await?;
    println!("{:.1}", peak_kilobytes()? as f64 / 1_024.0);
    reading.stop().await?;
    running.stop().await
}

/// Megabytes that it takes at most with so many records to go.
pub(super) async fn memory(server: &str, cluster: &Cluster, waiting: u32) -> Result<f64> {
    const PART: u32 = 20_000;
    eprintln!("memory with {waiting} records in the topic");
    let (heard, told) = (cluster.topic("far").await?, cluster.topic("told").await?);
    for part in 0..waiting.div_ceil(PART) {
        cluster.produce(&heard, Load::seeded(1_000 + u64::from(part), PART).messages()).await?;
    }
    with_database(server, async |database| {
        let program = std::env::current_exe().context("this program has no path")?;
        let messages = waiting.min(100_000).to_string();
        let child = Command::new(program)
            .args(["alone-kafka", "--postgres", &database.url(), "--kafka", cluster.servers()])
            .args(["--heard", &heard, "--told", &told, "--messages", &messages])
            .kill_on_drop(true)
            .output()
            .await?;
        ensure!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        Ok(String::from_utf8_lossy(&child.stdout).trim().parse()?)
    })
    .await
}
