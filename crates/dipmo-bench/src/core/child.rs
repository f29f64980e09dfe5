//! Figures of a whole process: memory and idle time, of an engine that runs alone in one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use dipmo_processing::Role;
use tokio::process::Command;

use super::sink::Void;
use crate::bed::{self, Bed};
use crate::database::Database;
use crate::load::Load;
use crate::resident::{cpu_millis, peak_kilobytes};

/// How long an idle engine is looked at.
const IDLE: Duration = Duration::from_secs(5);

/// Options of the process that is measured.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    #[arg(long)]
    postgres: String,
    /// Process so many messages and say how much memory it took at most; 0 is idle instead.
    #[arg(long)]
    messages: u64,
}

/// Runs as the process that is measured; prints one number.
pub(crate) async fn run(args: &Args) -> Result<()> {
    let bed = Bed::make(&args.postgres).await?;
    let running = bed.start(&Role::ALL, Arc::new(Void));
    if args.messages == 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = cpu_millis()?;
        tokio::time::sleep(IDLE).await;
        println!("{:.1}", (cpu_millis()? - before) as f64 / IDLE.as_secs_f64());
    } else {
        running.until(bed::processed, args.messages).await?;
        println!("{:.1}", peak_kilobytes()? as f64 / 1_024.0);
    }
    running.stop().await
}

/// Megabytes that an engine takes at most while so many messages wait.
pub(super) async fn memory(database: &Database, hot: bool, waiting: u32) -> Result<f64> {
    const PART: u32 = 20_000;
    let bed = Bed::make(&database.url()).await?;
    for part in 0..waiting.div_ceil(PART) {
        let seed = 1_000 + u64::from(part);
        let load = if hot { Load::one_account(seed, PART) } else { Load::seeded(seed, PART) };
        for batch in load.messages().chunks(2_000) {
            bed.store.store(batch, &[]).await?;
        }
    }
    ask(database, waiting.min(100_000)).await
}

/// Milliseconds of processor time that an idle engine takes in a second.
pub(super) async fn idle(database: &Database) -> Result<f64> {
    Bed::make(&database.url()).await?;
    ask(database, 0).await
}

async fn ask(database: &Database, messages: u32) -> Result<f64> {
    let program = std::env::current_exe().context("this program has no path")?;
    let child = Command::new(program)
        .args(["alone", "--postgres", &database.url(), "--messages", &messages.to_string()])
        .kill_on_drop(true)
        .output()
        .await?;
    ensure!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    Ok(String::from_utf8_lossy(&child.stdout).trim().parse()?)
}
