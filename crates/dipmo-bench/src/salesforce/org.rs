//! The org: a simulator whose calls and jobs take fixed times, and what it says of a run.

use std::collections::HashSet;

use anyhow::{Context as _, Result, ensure};
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use salesforce_sim::{LedgerEntry, Options, SchemaSource, Simulator};
use serde::{Deserialize, Serialize};

use super::contacts;

/// What a call takes besides the work that it causes, and a job besides its rows.
const LATENCIES: &str = "\
limits: { daily_requests: 1000000 }
latency:
  rest: { fixed: 20ms }
  bulk: { fixed: 20ms }
  bulk.queue: { fixed: 500ms }
  bulk.batch: { fixed: 200ms }
";

/// An org that has no records yet.
pub(super) struct Org(Simulator);

/// Where to log in, and as whom. Other programs are told on their standard input.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Login {
    url: String,
    client_id: String,
    client_secret: String,
}

/// How many calls came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    /// All but those to log in, which is done once in hours.
    pub(super) all: u32,
    /// Questions how far a job is.
    pub(super) polls: u32,
    /// Jobs that were made.
    pub(super) jobs: u32,
}

impl Org {
    pub(super) async fn start() -> Result<Self> {
        let schema = SchemaSource::Text(LATENCIES.to_owned());
        let started = Simulator::start(Options { schema, ..Options::default() }).await;
        Ok(Self(started.context("no simulator")?))
    }

    pub(super) fn login(&self) -> Result<Login> {
        let app = self.0.credentials().context("no app has a secret")?;
        let (client_id, client_secret) = (app.client_id, app.client_secret);
        Ok(Login { url: self.0.url().to_owned(), client_id, client_secret })
    }

    pub(super) fn calls(&self) -> Calls {
        let mut calls = Calls::default();
        for call in self.0.calls() {
            calls.all += u32::from(call.api != "oauth");
            calls.polls += u32::from(call.api == "bulk.poll");
            calls.jobs += u32::from(call.api == "bulk.create");
        }
        calls
    }

    /// Fails unless the first so many contacts were each applied once, as they are now, and nothing
    /// else was. Answers how many jobs brought them.
    pub(super) fn check(&self, count: u32) -> Result<usize> {
        let ledger = self.0.ledger(contacts::OBJECT)?;
        let mut missing: HashSet<String> = (0..count).map(contacts::id).collect();
        for entry in &ledger {
            let key = entry.key.as_str().unwrap_or_default();
            ensure!(missing.remove(key), "{key} is none of {count} contacts");
            check(key, entry)?;
        }
        let one = missing.iter().next();
        ensure!(one.is_none(), "{} of {count} were not applied, such as {one:?}", missing.len());
        let jobs: HashSet<&str> =
            ledger.iter().flat_map(|entry| &entry.jobs).flatten().map(String::as_str).collect();
        Ok(jobs.len())
    }

    pub(super) async fn stop(self) {
        self.0.stop().await;
    }
}

fn check(key: &str, entry: &LedgerEntry) -> Result<()> {
    ensure!(entry.applied == 1, "{key} was applied {} times", entry.applied);
    let number = key.trim_start_matches("C-").parse()?;
    let last = entry.tracked.last().and_then(|fields| fields.get("Version__c")?.as_f64());
    let wanted = contacts::version(number);
    ensure!(last == Some(wanted as f64), "{key} has version {last:?} instead of {wanted}");
    Ok(())
}

impl Login {
    /// For our client.
    pub(super) fn client(&self) -> ClientOptions {
        let client_id = self.client_id.clone();
        let client_secret = Secret::new(self.client_secret.clone());
        ClientOptions::new(&*self.url, Auth::ClientCredentials { client_id, client_secret })
    }
}
