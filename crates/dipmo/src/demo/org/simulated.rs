//! A Salesforce inside this process, and what its own ledger tells.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context as _, Result};
use dipmo_salesforce::Secret;
use salesforce_sim::{LedgerEntry, LoggedCall, Options, SchemaSource, Simulator, WriteKind};
use serde_json::Value;

use super::facts::{OrgFacts, Write};
use super::{CALL_TIMEOUT, Login, OBJECTS, faults};

/// What an org takes for a call: little, so that a demo is short.
const LATENCIES: &str = "\
latency:
  rest: { percentiles: { p50: 15ms, p99: 150ms } }
  bulk: { percentiles: { p50: 15ms, p99: 150ms } }
  bulk.batch: { uniform: [100ms, 300ms] }
";

/// A simulator that fails now and then.
pub(crate) struct Simulated(Simulator);

impl Simulated {
    pub(super) async fn start(seed: u64) -> Result<Self> {
        let schema = SchemaSource::Text(LATENCIES.to_owned());
        let simulator = Simulator::start(Options { schema, seed, ..Options::default() })
            .await
            .context("no Salesforce can be made inside this process")?;
        simulator.faults(faults::rules(seed)).context("the faults of the demo")?;
        Ok(Self(simulator))
    }

    pub(super) fn login(&self) -> Login {
        let (client_id, client_secret) = match self.0.credentials() {
            Some(app) => (app.client_id, app.client_secret),
            None => Default::default(),
        };
        let (url, client_secret) = (self.0.url().to_owned(), Secret::new(client_secret));
        Login { url, client_id, client_secret, is_simulated: true }
    }

    pub(super) fn read_back(&self) -> Result<OrgFacts> {
        let calls = self.0.calls();
        let unanswered: HashSet<u64> =
            calls.iter().filter(|call| !is_answered(call)).map(|call| call.id).collect();
        let count =
            |wanted: &dyn Fn(&&LoggedCall) -> bool| calls.iter().filter(wanted).count() as u64;
        let mut facts = OrgFacts {
            calls: calls.len() as u64,
            jobs: count(&|call| call.api == "bulk.create" && call.status == 200),
            faults: count(&|call| call.fault.is_some()),
            ..OrgFacts::default()
        };
        for object in OBJECTS {
            for entry in self.0.ledger(object)? {
                let key = entry.key.as_str().unwrap_or_default().to_owned();
                facts.writes.insert((object, key), writes(&entry, &unanswered));
            }
        }
        Ok(facts)
    }
}

fn writes(entry: &LedgerEntry, unanswered: &HashSet<u64>) -> Vec<Write> {
    let mut writes = Vec::new();
    for (place, tracked) in entry.tracked.iter().enumerate() {
        // What becomes of a record because its parent goes is not our write.
        if entry.kinds[place] == WriteKind::Detached {
            continue;
        }
        // What a job did is asked for until it is known, whatever became of single calls.
        let of_job = entry.jobs[place].is_some();
        writes.push(Write {
            // Salesforce has one kind of number.
            version: tracked.get("Version__c").and_then(Value::as_f64).map_or(0, |it| it as i64),
            is_answered: of_job || !unanswered.contains(&entry.calls[place]),
        });
    }
    writes
}

/// Whether the client got an answer in time.
fn is_answered(call: &LoggedCall) -> bool {
    let answer_lost = ["timeout_after", "drop", "truncate"];
    let lost = call.fault.as_deref().is_some_and(|fault| answer_lost.contains(&fault));
    call.status != 0 && !lost && Duration::from_millis(call.millis) < CALL_TIMEOUT
}
