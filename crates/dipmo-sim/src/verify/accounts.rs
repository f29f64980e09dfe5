//! Every account saw what is marked as processed, once, and in order.

use std::collections::BTreeSet;

use dipmo_domain::{InboxStatus, Outcome, ProcessKey, Value};
use dipmo_inbox::InboxRow;
use dipmo_store::Inspect as _;

use super::end::{End, payload};
use crate::sim::Sim;
use crate::world::{Kept, Note, Seen, counts, ledger};

pub(super) async fn check(sim: &Sim, end: &End) -> Result<(), String> {
    let accounts: BTreeSet<String> =
        end.messages.values().filter_map(|row| row.message.aggregate_id.clone()).collect();
    for account in &accounts {
        let (process, topic) = names(account);
        let key = ProcessKey { process: process.to_owned(), id: account.clone() };
        let row = sim.store.instance(&key).await.map_err(|error| error.to_string())?;
        let kept: Kept = match row {
            Some(row) => row.context.read().map_err(|error| error.to_string())?,
            None => Kept::default(),
        };
        let wrong = |problem: String| format!("account {account}: {problem}; it kept {kept:?}");
        seen_once(end, account, process, topic, &kept).map_err(wrong)?;
        versions(end.of(topic, account), &kept).map_err(wrong)?;
        let balance = number(sim, &ledger(), account, "BALANCE").await?;
        if balance.unwrap_or(0) != kept.balance {
            return Err(wrong(format!("the ledger has {balance:?}")));
        }
        let audits = end.of("audit", account).filter(|row| is_done(row)).count();
        let counted = number(sim, &counts(), account, "COUNT").await?.unwrap_or(0);
        if usize::try_from(counted) != Ok(audits) {
            return Err(wrong(format!("{counted} of {audits} audits were counted")));
        }
    }
    Ok(())
}

/// Process and topic of an account.
fn names(account: &str) -> (&'static str, &'static str) {
    if account.starts_with('S') { ("STRICT", "strict") } else { ("LOOSE", "loose") }
}

/// What it saw is what ended as done, each once.
fn seen_once(
    end: &End,
    account: &str,
    process: &str,
    topic: &str,
    kept: &Kept,
) -> Result<(), String> {
    let mut expected = Vec::new();
    for row in end.of(topic, account).filter(|row| is_done(row)) {
        let note: Note = payload(row)?;
        expected.push(Seen::Note { n: note.n, version: row.message.source_version });
    }
    for row in end.of(&format!("timer:{process}"), account).filter(|row| is_done(row)) {
        let rang: serde_json::Value = payload(row)?;
        let n = rang["n"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        expected.push(Seen::Rang { n });
    }
    for row in end.of(&format!("outcome:{process}"), account).filter(|row| is_done(row)) {
        let report: dipmo_api::DeliveryReport = payload(row)?;
        expected.push(Seen::Outcome { event_type: report.event_type, failed: report.failed });
    }
    let mut seen = kept.seen.clone();
    seen.sort();
    expected.sort();
    // A delivery that was retried may fail the same way twice.
    let once = |pair: &&[Seen]| !matches!(pair[0], Seen::Outcome { .. });
    if let Some(twice) = seen.windows(2).filter(once).find(|pair| pair[0] == pair[1]) {
        return Err(format!("{:?} happened twice", twice[0]));
    }
    if seen == expected { Ok(()) } else { Err(format!("it should have been {expected:?}")) }
}

/// Versions only grow; what was stale or never came in time was so.
fn versions<'a>(rows: impl Iterator<Item = &'a InboxRow>, kept: &Kept) -> Result<(), String> {
    let taken = kept.seen.iter().filter_map(|seen| match seen {
        Seen::Note { version, .. } => *version,
        _ => None,
    });
    let taken: Vec<i64> = taken.collect();
    if !taken.is_sorted_by(|a, b| a < b) {
        return Err("versions were taken out of order".to_owned());
    }
    for row in rows {
        let Some(version) = row.message.source_version else { continue };
        let id = row.message.id;
        let stale = row.outcome == Some(Outcome::Stale);
        if stale && !taken.iter().any(|other| *other >= version) {
            return Err(format!("message {id} was not stale"));
        }
        let missing = row.status == InboxStatus::Failed
            && row.failure.as_ref().is_some_and(|failure| failure.code() == "version-missing");
        if missing && taken.contains(&(version - 1)) {
            return Err(format!("message {id} missed nothing"));
        }
    }
    Ok(())
}

fn is_done(row: &InboxRow) -> bool {
    row.outcome == Some(Outcome::Done)
}

async fn number(
    sim: &Sim,
    table: &dipmo_api::table::DomainTable,
    account: &str,
    column: &str,
) -> Result<Option<i64>, String> {
    let rows = sim.store.domain_rows(table).await.map_err(|error| error.to_string())?;
    let own = rows.iter().find(|row| row.get("ID").and_then(Value::as_text) == Some(account));
    Ok(own.and_then(|row| row.get(column)).and_then(Value::as_integer))
}
