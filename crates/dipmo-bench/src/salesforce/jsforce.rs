//! jsforce, which many programs upload with: the same contacts from a file that is there already.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::contacts;
use super::org::Org;

/// What the script tells.
#[derive(Deserialize)]
struct Told {
    millis: f64,
    successful: u32,
}

/// Uploads so many contacts to an org of their own; answers the time from the first call to the last
/// result. Starting Node.js and logging in is not in it.
pub(super) async fn upload(folder: &Path, contacts: u32) -> Result<Duration> {
    let org = Org::start().await?;
    let mut file = tempfile::NamedTempFile::new().context("no room for the CSV")?;
    file.write_all(contacts::csv(contacts).as_bytes())?;
    let told = run(folder, file.path(), &org).await?;
    ensure!(told.successful == contacts, "jsforce read {} of {contacts}", told.successful);
    ensure!(org.check(contacts)? == 1, "jsforce made several jobs");
    org.stop().await;
    Ok(Duration::from_secs_f64(told.millis / 1_000.0))
}

async fn run(folder: &Path, csv: &Path, org: &Org) -> Result<Told> {
    let folder = std::path::absolute(folder)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/salesforce/jsforce.mjs");
    let mut node = Command::new("node");
    node.env("PATH", path_with(&folder)?).arg(script).arg(&folder).arg(csv);
    node.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut running = node.spawn().context("no Node.js")?;
    let mut input = running.stdin.take().context("no standard input")?;
    input.write_all(&serde_json::to_vec(&org.login()?)?).await?;
    drop(input);
    let ended = running.wait_with_output().await?;
    ensure!(ended.status.success(), "jsforce: {}", String::from_utf8_lossy(&ended.stderr));
    Ok(serde_json::from_slice(&ended.stdout)?)
}

/// The places of programs, that of the Node.js that came with jsforce first.
fn path_with(folder: &Path) -> Result<OsString> {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let own: [PathBuf; 1] = [folder.join("node_modules/.bin")];
    Ok(std::env::join_paths(own.into_iter().chain(std::env::split_paths(&usual)))?)
}
