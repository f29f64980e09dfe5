//! `dipmo report`: how old what waits is, what stands out, and what is kept of what was promised.

use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;

use super::asking::{Desk, Request, Whom};
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::show::when::rough;
use super::{Ended, help, report_slo};
use crate::console::grouped;

const AGES: [&str; 5] =
    ["/ages/minute", "/ages/five_minutes", "/ages/hour", "/ages/day", "/ages/older"];
const RED: u8 = 31;

/// What to do, and whom to ask.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) whom: Whom,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Show how old what waits is, by status and destination.
    #[command(after_help = help::REPORT_AGEING)]
    Ageing,
    /// Show the keys and lanes in which the most waits, and the aggregates of which the most came of late.
    #[command(after_help = help::REPORT_HOT)]
    Hot {
        /// How many of each at most.
        #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=500))]
        limit: u32,
    },
    /// Show what was promised, how often it was kept, and what is left of the budget.
    #[command(after_help = help::REPORT_SLO)]
    Slo,
}

/// Looks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let (told, next) = match &args.what {
        What::Ageing => {
            let told = desk.ask(&Request::get(&["reports", "ageing"])).await?;
            desk.print(&told, |report| ageing(desk, report));
            (told, "dipmo failures list, dipmo report hot")
        }
        What::Slo => return report_slo::run(desk).await,
        What::Hot { limit } => {
            let hot = Request::get(&["reports", "hot"]).with("limit", Some(limit));
            let told = desk.ask(&hot).await?;
            desk.print(&told, |report| hot_text(desk, report));
            (
                told,
                "dipmo inbox show HEAD or dipmo outbox show HEAD, which is what the others wait for",
            )
        }
    };
    if told["complete"] == false {
        desk.note("there is more: counts are at least so high");
    }
    desk.note(&format!("next: {next}"));
    Ok(ExitCode::SUCCESS)
}

/// What waits, a line for each way to stand.
fn ageing(desk: &Desk, report: Object<'_>) -> String {
    let mut table = Table::new(&[
        "where", "status", ">all", ">< 1m", ">< 5m", ">< 1h", ">< 1d", ">older", ">oldest",
    ]);
    let mut any = false;
    for row in report.list("/rows") {
        any = true;
        let waits = row.text("/waits");
        let status = row.text("/status");
        let status = if waits.is_empty() { status } else { format!("{status}, {waits}") };
        let colour = ["FAILED", "SERDE_ERROR"].contains(&row.text("/status").as_str());
        let count = |pointer: &str| Cell::from(grouped(row.number(pointer)));
        let [minute, five_minutes, hour, day, older] = AGES.map(count);
        table.row([
            place(row),
            Cell::coloured(&status, colour.then_some(RED)),
            count("/count"),
            minute,
            five_minutes,
            hour,
            day,
            older,
            age(row),
        ]);
    }
    if any { desk.shown(&table) } else { "nothing waits".to_owned() }
}

fn hot_text(desk: &Desk, report: Object<'_>) -> String {
    let mut parts = Vec::new();
    let mut keys = Table::new(&["key", "where", ">waiting", "oldest", ">head"]);
    let mut lanes = Table::new(&[">lane", "where", ">waiting", "oldest"]);
    let mut recent = Table::new(&["aggregate", ">messages", "newest"]);
    let number = |row: Object<'_>, pointer: &str| Cell::from(grouped(row.number(pointer)));
    for row in report.list("/keys") {
        let waiting = number(row, "/waiting");
        keys.row([row.cell("/key"), place(row), waiting, row.ago("/oldest"), row.cell("/head")]);
    }
    for row in report.list("/lanes") {
        lanes.row([row.cell("/lane"), place(row), number(row, "/waiting"), row.ago("/oldest")]);
    }
    for row in report.list("/recent") {
        recent.row([row.cell("/aggregate"), number(row, "/messages"), row.ago("/last")]);
    }
    for (title, list, table) in [
        ("Of these keys the most is held, parked or tried again:".to_owned(), "/keys", keys),
        ("In these lanes the most waits:".to_owned(), "/lanes", lanes),
        (
            format!(
                "Of these aggregates the most came, among the {} newest messages:",
                grouped(report.number("/among"))
            ),
            "/recent",
            recent,
        ),
    ] {
        if report.list(list).next().is_some() {
            parts.push(format!("{title}\n{}", desk.shown(&table)));
        }
    }
    if parts.is_empty() { "nothing stands out".to_owned() } else { parts.join("\n\n") }
}

/// The inbox, or a destination.
fn place(row: Object<'_>) -> Cell {
    let destination = row.text("/destination");
    if destination.is_empty() { row.cell("/side") } else { Cell::from(destination) }
}

fn age(row: Object<'_>) -> Cell {
    let seconds = row.seconds("/oldest_age_seconds").unwrap_or_default();
    Cell::from(rough(Duration::from_secs(seconds)))
}
