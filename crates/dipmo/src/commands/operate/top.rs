//! `dipmo top`: how much waits where, again and again.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stdout};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use serde_json::Value;
use tokio::time::sleep;

use super::Ended;
use super::asking::{Desk, Refused, Request, Told, Whom};
use super::leaving::leaving;
use super::show::field::Object;
use super::show::safe::one_line;
use super::show::table::{Cell, Table};
use super::steer;
use super::waiting::{self, COLUMNS, age};
use crate::console::{grouped, out};
use crate::output::Output;

/// So many groups of failures are shown.
const GROUPS: u32 = 5;

/// Whom to ask, and how often.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) whom: Whom,
    /// Seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// How many looks; without it there is no end.
    #[arg(long, value_name = "NUMBER")]
    times: Option<u32>,
}

/// What is seen at one look.
struct Look {
    backlog: Told,
    throughput: Told,
    failures: Told,
}

/// Shows figures until somebody leaves. On a terminal they stay in place.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let leaving = leaving();
    tokio::select! {
        shown = show(args, desk) => shown,
        () = leaving.cancelled() => Ok(ExitCode::SUCCESS),
    }
}

async fn show(args: &Args, desk: &Desk) -> Ended {
    let live = stdout().is_terminal() && desk.output == Output::Text;
    let (view, mut looks) = (live.then(view), 0);
    while args.times.is_none_or(|times| looks < times) {
        if looks > 0 {
            sleep(Duration::from_secs(args.every)).await;
        }
        looks += 1;
        let seen = match look(desk).await {
            Ok(seen) => seen,
            // Who looks on wants to see it come back.
            Err(refused) if looks > 1 && refused.is_passing() => {
                desk.note(&refused.text());
                continue;
            }
            Err(refused) => return Err(refused),
        };
        match &view {
            Some(view) => view.set_message(lines(desk, &seen)),
            None if desk.output == Output::Json => out(&json(&seen)),
            None => {
                let (backlog, done) = (desk.object(&seen.backlog), desk.object(&seen.throughput));
                out(&format!("{}{}", line(backlog), done_in_little(done)));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn look(desk: &Desk) -> Result<Look, Refused> {
    let backlog = desk.ask(&Request::get(&["backlog"])).await?;
    let throughput = desk.ask(&Request::get(&["throughput"])).await?;
    let failures = desk.ask(&Request::get(&["failures"]).with("limit", Some(GROUPS))).await?;
    Ok(Look { backlog, throughput, failures })
}

/// Some lines that stay in place.
fn view() -> ProgressBar {
    let view = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
    let style = ProgressStyle::with_template("{msg}");
    // The last figures stay when it ends.
    view.with_finish(ProgressFinish::Abandon)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// For a terminal: what waits, and why it fails.
fn lines(desk: &Desk, seen: &Look) -> String {
    let backlog = desk.object(&seen.backlog);
    let mut table = Table::new(&COLUMNS);
    waiting::inbox(&mut table, backlog);
    waiting::destinations(&mut table, backlog);
    let mut text = format!(
        "{}   timers {}{}\n\n{}",
        backlog.text("/at"),
        grouped(backlog.number("/timers")),
        done(desk.object(&seen.throughput)),
        desk.shown(&table)
    );
    let mut groups = Table::new(&["failures", ">failed", ">retrying", "code", "what they say"]);
    let mut any = false;
    for group in desk.object(&seen.failures).list("/rows") {
        any = true;
        groups.row([
            group.cell("/fingerprint"),
            Cell::from(grouped(group.number("/failed"))),
            Cell::from(grouped(group.number("/retrying"))),
            group.cell("/code"),
            group.cell("/pattern"),
        ]);
    }
    for (name, pause) in backlog.below("paused").below("sources").fields() {
        let _ = write!(text, "\nsource {} is paused {}", one_line(name), steer::pause(pause));
    }
    if any {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n\n{}", desk.shown(&groups));
    }
    text
}

/// For a script: what waits, and how much is done.
fn json(seen: &Look) -> String {
    let mut both: Value = (*seen.backlog).clone();
    both["throughput"] = (*seen.throughput).clone();
    both.to_string()
}

/// What is done a second, as a figure for each word.
fn rates(throughput: Object<'_>) -> Vec<(&'static str, String)> {
    let rate = |word| (word, throughput.text(&format!("/per_second/{word}")));
    let rates = ["received", "processed", "dispatched", "failed"].map(rate);
    rates.into_iter().filter(|(_, rate)| !rate.is_empty()).collect()
}

/// For a terminal, unless no instance tells.
fn done(throughput: Object<'_>) -> String {
    let rates = rates(throughput).into_iter().map(|(word, rate)| format!("{word} {rate}/s"));
    let rates = rates.collect::<Vec<_>>().join(", ");
    if rates.is_empty() { rates } else { format!("   {rates}") }
}

/// For a log, unless no instance tells.
fn done_in_little(throughput: Object<'_>) -> String {
    let rates = rates(throughput).into_iter().map(|(word, rate)| format!(" {word}/s={rate}"));
    let rates = rates.collect::<String>();
    if rates.is_empty() { rates } else { format!("  done{rates}") }
}

/// For a log: one line.
fn line(backlog: Object<'_>) -> String {
    let mut text = format!("{}  inbox {}", backlog.text("/at"), figures(backlog.below("inbox")));
    for (destination, waiting) in backlog.below("outbox").fields() {
        let _ = write!(text, "  {} {}", one_line(destination), figures(waiting));
    }
    for kind in ["sources", "destinations"] {
        for (name, _) in backlog.below("paused").below(kind).fields() {
            let _ = write!(text, "  {} paused", one_line(name));
        }
    }
    text
}

fn figures(waiting: Object<'_>) -> String {
    let words = ["ready", "retrying", "held", "parked", "failed"];
    let figures = words.map(|word| format!("{word}={}", waiting.number(&format!("/{word}"))));
    let oldest = age(waiting);
    let oldest = if oldest.is_empty() { oldest } else { format!(" oldest={oldest}") };
    format!("{}{oldest}", figures.join(" "))
}
