//! `service.binary_mb`, `service.ready_ms`: the shipped program before it has done anything.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use super::program::{self, Instance};
use crate::report::{Row, median};

/// The store of it is a new file each time.
const CONFIG: &str = "\
dipmo: 1
store: {sqlite: 'FOLDER/start.db'}
kafka: {default: {brokers: '${env:KAFKA_BROKERS}'}}
sources: {crm: {group: start-GROUP, topics: {TOPIC: {event_type: {const: Ordered}}}}}
processes:
  ORDER:
    listens: {TOPIC: Ordered}
    events: {Ordered: {}}
    initial: NEW
    states: {NEW: It came., DONE: {describe: Done., final: true}}
    on: {Ordered: [{in: NEW, go: DONE}, {stay: duplicate}]}
";

/// Its size, and how long it takes to be ready.
pub(super) async fn run(kafka: &str, rounds: u32) -> Result<Vec<Row>> {
    let topic = crate::kafka::cluster::Cluster::new(kafka).topic("start").await?;
    let mut taken = Vec::new();
    for round in 0..rounds {
        let folder = tempfile::tempdir()?;
        let config = folder.path().join("dipmo.yaml");
        let text = CONFIG.replace("FOLDER", &folder.path().display().to_string());
        let text = text.replace("TOPIC", &topic).replace("GROUP", &format!("{topic}-{round}"));
        std::fs::write(&config, text)?;
        let began = Instant::now();
        let mut instance = Instance::start(&config, &[("KAFKA_BROKERS", kafka)])?;
        instance.until_ready().await?;
        taken.push(began.elapsed().as_secs_f64() * 1_000.0);
        instance.stop().await?;
    }
    eprintln!("ready after {taken:.0?} ms");
    Ok(vec![
        Row::plain("service.binary_mb", stripped_megabytes()?, "MB"),
        Row::plain("service.ready_ms", median(&taken), "ms"),
    ])
}

/// The size of the program without what a debugger reads.
fn stripped_megabytes() -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let stripped = folder.path().join("dipmo");
    let strip = Command::new("strip").arg("-o").arg(&stripped).arg(program::path()?).status();
    ensure!(strip.context("no strip: it comes with binutils")?.success(), "dipmo is not stripped");
    Ok(std::fs::metadata(&stripped)?.len() as f64 / 1_000_000.0)
}
