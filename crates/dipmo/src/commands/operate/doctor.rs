//! `dipmo doctor`: is this system fit to run, and what is to be done about what is not.

use std::process::ExitCode;

use dipmo::wiring::probe::{Limits, probe};
use serde_json::{Value, json};

use super::Ended;
use super::asking::{Desk, Refused, Request, Whom};
use super::show::field::Object;
use super::show::safe::one_line;
use crate::console::{has_colour, out, painted};
use crate::output::Output;

/// Something should be looked at, and nothing is broken.
const WARNED: u8 = 3;

/// Whom to ask, and how much.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// Also ask the outside whether it is as the configuration says: Kafka, Salesforce, ports. Nothing is changed.
    #[arg(long)]
    connect: bool,
}

/// Looks, and ends as the worst line says.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let outside = if args.connect { outside(desk).await? } else { Vec::new() };
    let told = desk.ask(&Request::get(&["doctor"])).await?;
    let mut examined: Value = (*told).clone();
    if args.connect {
        if let Some(lines) = examined["lines"].as_array_mut() {
            lines.extend(outside);
        }
        let worst = worst(desk.object(&examined));
        examined["verdict"] = Value::from(worst);
    }
    let seen = desk.object(&examined);
    match desk.output {
        Output::Text => out(&text(seen)),
        Output::Json => out(&examined.to_string()),
    }
    Ok(match worst(seen) {
        "FAIL" => ExitCode::FAILURE,
        "WARN" => ExitCode::from(WARNED),
        _ => ExitCode::SUCCESS,
    })
}

/// A line for each thing that was asked outside.
async fn outside(desk: &Desk) -> Result<Vec<Value>, Refused> {
    let Some(local) = desk.here() else {
        let hint = "type it beside dipmo.yaml, without --server: this machine asks Kafka and Salesforce itself";
        return Err(Refused::wrong("--connect needs the configuration", hint));
    };
    let rows = probe(local.pipeline(), Limits::default()).await;
    let line = |row: &dipmo::wiring::probe::Row| {
        let asked = format!("{}, {}", row.at, row.what);
        let (verdict, evidence, next) = match &row.answer {
            Ok(answer) => ("OK", format!("{asked}: {answer}"), None),
            Err(problem) => {
                let verdict = if row.is_error() { "FAIL" } else { "WARN" };
                let hint = problem.hint.clone();
                let next = hint.unwrap_or_else(|| "dipmo check --connect".to_owned());
                (verdict, format!("{asked}: {}", problem.message), Some(next))
            }
        };
        json!({ "check": "connect", "verdict": verdict, "evidence": evidence, "next": next })
    };
    Ok(rows.iter().map(line).collect())
}

fn worst(seen: Object<'_>) -> &'static str {
    let has = |verdict: &str| seen.list("/lines").any(|line| line.text("/verdict") == verdict);
    ["FAIL", "WARN", "UNKNOWN"].into_iter().find(|verdict| has(verdict)).unwrap_or("OK")
}

/// A line for each check, and below it what to do.
fn text(seen: Object<'_>) -> String {
    let name = |line: &Object<'_>| line.text("/check").chars().count();
    let width = seen.list("/lines").map(|line| name(&line)).max().unwrap_or_default();
    let mut lines = Vec::new();
    for line in seen.list("/lines") {
        let verdict = format!("{:<7}", line.text("/verdict"));
        let verdict = painted(&verdict, colour(verdict.trim()), has_colour());
        let (check, evidence) = (line.text("/check"), line.text("/evidence"));
        lines.push(format!("{verdict}  {check:<width$}  {evidence}"));
        let next = line.text("/next");
        if !next.is_empty() {
            lines.push(format!("{:>indent$}next: {}", "", one_line(&next), indent = width + 11));
        }
    }
    lines.join("\n")
}

fn colour(verdict: &str) -> u8 {
    match verdict {
        "OK" => 32,
        "FAIL" => 31,
        _ => 33,
    }
}
