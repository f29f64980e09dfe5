//! The ledger for people, and for machines.

use std::time::Duration;

use serde::Serialize;

use super::ledger::{Kind, Ledger, SalesforceFigures};
use super::processes::Processes;
use crate::console::{grouped, painted};

/// How many complaints of each kind are shown.
const SHOWN: usize = 5;

/// What the run was, beside its ledger.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) store: String,
    pub(crate) kafka: String,
    pub(crate) org: String,
    pub(crate) processes: Processes,
    pub(crate) seed: u64,
    pub(crate) rate: u32,
    /// The command that tells the same stories in the same way.
    pub(crate) again: String,
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub(crate) took: Duration,
    /// Errors of the store that the engine got over.
    pub(crate) store_errors: u64,
}

#[derive(Serialize)]
struct Object<'a> {
    ok: bool,
    #[serde(flatten)]
    run: &'a Run,
    #[serde(flatten)]
    ledger: &'a Ledger,
}

/// One object on one line.
pub(crate) fn json(run: &Run, ledger: &Ledger) -> String {
    let object = Object { ok: ledger.is_clean(), run, ledger };
    serde_json::to_string(&object).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

fn seconds<S: serde::Serializer>(took: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((took.as_secs_f64() * 10.0).round() / 10.0)
}

/// The table, the verdict, and what to try next.
pub(crate) fn table(run: &Run, ledger: &Ledger, has_colour: bool) -> String {
    let mut lines = vec![String::new(), "  The producer".to_owned()];
    lines.push(row("sent", ledger.sent, "records"));
    lines.push(row("stored", ledger.stored, "of them new"));
    lines.push(row("deduplicated", ledger.deduplicated, "came again and were recognised"));
    lines.push(row("conflicts", ledger.conflicts, "had the id of another: kept as incidents"));
    lines.push(String::new());
    lines.push("  The inbox, with timers, answers and what processes told each other".to_owned());
    let outcomes = ledger.outcomes.iter().filter(|(_, count)| **count > 0);
    let outcomes = outcomes.map(|(name, count)| format!("{} {}", name.to_lowercase(), count));
    lines.push(row("processed", ledger.processed, &outcomes.collect::<Vec<_>>().join(", ")));
    lines.push(row("undecodable", ledger.serde_errors, "kept byte for byte"));
    lines.push(row("failed", ledger.failed, "poison, each as the book says"));
    lines.push(row("held", ledger.held, "wait behind poison of their own aggregate"));
    if ledger.waiting > 0 {
        lines.push(row("waiting", ledger.waiting, "have not ended"));
    }
    lines.push(String::new());
    lines.push("  The outbox and the destinations".to_owned());
    lines.push(row("intents", ledger.intents, "written with the step that caused them"));
    lines.push(row("delivered", ledger.delivered, "arrived once, in order"));
    let repeated = format!("records on Kafka, {} of them repeats", grouped(ledger.repeated));
    lines.push(row("published", ledger.published, &repeated));
    lines.push(row("redelivered", ledger.redelivered, "came again under their key: absorbed"));
    lines.push(String::new());
    lines.extend(salesforce(&ledger.salesforce));
    lines.push(String::new());
    lines.push(wrong("lost", ledger.lost, has_colour));
    lines.push(wrong("doubled", ledger.doubled, has_colour));
    lines.push(wrong("reordered", ledger.reordered, has_colour));
    lines.push(wrong("unexpected", ledger.unexpected, has_colour));
    lines.push(String::new());
    lines.extend(complaints(ledger));
    lines.push(verdict(run, ledger, has_colour));
    lines.push(String::new());
    lines.extend(next(run, ledger));
    lines.join("\n")
}

fn salesforce(figures: &SalesforceFigures) -> Vec<String> {
    let asked = format!(
        "in {} intents; {} needed no write of their own",
        grouped(figures.intents),
        grouped(figures.coalesced)
    );
    let mut lines = vec![
        "  Salesforce, record by record".to_owned(),
        row("asked for", figures.asked, &asked),
        row("newest", figures.newest, "records ended with their newest version"),
        row("refused", figures.refused, "never will: FAILED with Salesforce's code"),
        row("redelivered", figures.redelivered, "were written again, because the answer was lost"),
    ];
    if figures.calls > 0 {
        let calls =
            format!("{} met a fault; {} Bulk jobs", grouped(figures.faults), grouped(figures.jobs));
        lines.push(row("calls", figures.calls, &calls));
    }
    lines
}

/// The first few of each kind.
pub(crate) fn complaints(ledger: &Ledger) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in [Kind::Lost, Kind::Doubled, Kind::Reordered, Kind::Unexpected] {
        let of_kind = ledger.complaints.iter().filter(|complaint| complaint.kind == kind);
        for complaint in of_kind.take(SHOWN) {
            let name = format!("{kind:?}").to_lowercase();
            lines.push(format!("  {name:<11} {}", complaint.text));
        }
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

fn row(name: &str, count: u64, meaning: &str) -> String {
    format!("    {name:<13} {:>9}  {meaning}", grouped(count)).trim_end().to_owned()
}

fn wrong(name: &str, count: u64, has_colour: bool) -> String {
    let colour = if count == 0 { 32 } else { 31 };
    format!("    {name:<13} {}", painted(&format!("{:>9}", grouped(count)), colour, has_colour))
}

fn verdict(run: &Run, ledger: &Ledger, has_colour: bool) -> String {
    let took = run.took.as_secs_f64();
    let Run { kafka, store, org, seed, .. } = run;
    let place = format!("{kafka}, {store}, {org}, {took:.1} s, seed {seed}");
    if ledger.is_clean() {
        let good = painted("Nothing lost, nothing doubled, nothing reordered.", 32, has_colour);
        format!("  {good} ({place})")
    } else {
        let bad = painted("The ledger does not balance.", 31, has_colour);
        format!("  {bad} ({place})")
    }
}

/// What to try: something of one's own, or the same once more to see what went wrong.
fn next(run: &Run, ledger: &Ledger) -> [String; 4] {
    let lines = if ledger.is_clean() {
        [
            "What next:",
            "  dipmo init --example hits my-pipeline          one of the pipelines that ran, to change",
            "  dipmo demo --postgres URL --kafka HOST:PORT    the same on servers of your own",
            "  dipmo demo --sabotage double                   the ledger fails; docs/demo.md has each figure",
        ]
    } else {
        [
            "The same stories again:",
            &format!("  {}", run.again),
            "What is wrong is named above, the first five of each kind; docs/demo.md says what they mean.",
            "Should it come again, and nobody asked for --sabotage, please report it with this command.",
        ]
    };
    lines.map(|line| format!("  {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run {
            store: "SQLite".to_owned(),
            kafka: "Kafka in-process".to_owned(),
            org: "Salesforce in-process".to_owned(),
            processes: Processes::Rust,
            seed: 7,
            rate: 500,
            again: "dipmo demo --seed 7".to_owned(),
            took: Duration::from_secs(20),
            store_errors: 0,
        }
    }

    #[test]
    fn a_run_that_balances_says_what_to_try() {
        let table = table(&run(), &Ledger::default(), false);
        assert!(table.contains("dipmo init --example hits my-pipeline"), "{table}");
        assert!(!table.contains("--seed"), "{table}");
    }

    #[test]
    fn one_that_does_not_says_how_to_repeat_it() {
        let mut ledger = Ledger::default();
        ledger.complain(Kind::Lost, "message H-1/1: no row".to_owned());
        let table = table(&run(), &ledger, false);
        assert!(table.contains("    dipmo demo --seed 7\n"), "{table}");
        assert!(table.contains("message H-1/1: no row"), "{table}");
        assert!(!table.contains("dipmo init"), "{table}");
    }
}
