//! `salesforce.bulk_memory_mb`: dipmo alone in its process, with one job of all contacts.

use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use dipmo_domain::SalesforceApi;
use dipmo_processing::Role;
use dipmo_sink_salesforce::BulkOptions;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::delivery::Sender;
use super::org::{Login, Org};
use crate::bed;
use crate::database::{Database, with_database};
use crate::resident::peak_kilobytes;

/// Options of the process that is measured. Where to log in comes as JSON on standard input.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    #[arg(long)]
    postgres: String,
    /// Stop when so many are delivered, and say how much memory it took at most.
    #[arg(long)]
    records: u32,
}

/// Runs as the process that is measured; prints one number.
pub(crate) async fn run(args: &Args) -> Result<()> {
    let login: Login = serde_json::from_reader(std::io::stdin())?;
    let sender = Sender::at(&args.postgres, &login, one_job(args.records)).await?;
    let running = sender.start(&Role::ALL);
    running.until(bed::dispatched, args.records.into()).await?;
    println!("{:.1}", peak_kilobytes()? as f64 / 1_024.0);
    running.stop().await
}

/// Jobs that take all there is.
fn one_job(records: u32) -> BulkOptions {
    BulkOptions { lanes: 64, most: records, ..BulkOptions::default() }
}

/// Megabytes that it takes at most to deliver so many contacts in one job.
pub(super) async fn memory(server: &str, records: u32) -> Result<f64> {
    eprintln!("memory with {records} contacts in one job");
    with_database(server, async |database| {
        let org = Org::start().await?;
        let login = org.login()?;
        let sender = Sender::connect(database, &login, one_job(records)).await?;
        sender.prepare(SalesforceApi::BulkV2, records).await?;
        drop(sender);
        let megabytes = ask(database, &login, records).await?;
        let jobs = org.check(records)?;
        ensure!(jobs == 1, "{records} contacts were {jobs} jobs");
        org.stop().await;
        Ok(megabytes)
    })
    .await
}

async fn ask(database: &Database, login: &Login, records: u32) -> Result<f64> {
    let program = std::env::current_exe().context("this program has no path")?;
    let mut child = Command::new(program)
        .args(["alone-salesforce", "--postgres", &database.url()])
        .args(["--records", &records.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut input = child.stdin.take().context("no standard input")?;
    input.write_all(&serde_json::to_vec(login)?).await?;
    drop(input);
    let ended = child.wait_with_output().await?;
    ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Ok(String::from_utf8_lossy(&ended.stdout).trim().parse()?)
}
