//! `dipmo destination`: where things are delivered, and how much waits for each.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::asking::{Desk, Request, Whom};
use super::show::field::Object;
use super::show::table::Table;
use super::steer::Steer;
use super::waiting::{self, COLUMNS};
use super::{Ended, help};
use crate::output::Output;

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
    /// List destinations for which something waits, or that rest.
    #[command(after_help = help::DESTINATION_LIST)]
    List,
    /// Deliver nothing more to a destination, from any instance, until it is resumed.
    #[command(after_help = help::DESTINATION_PAUSE)]
    Pause(Steer),
    /// Deliver to a destination again.
    #[command(after_help = help::DESTINATION_RESUME)]
    Resume(Steer),
    /// Open or close the breaker of an object of Salesforce, on every instance.
    #[command(after_help = help::DESTINATION_BREAKER)]
    Breaker(Breaker),
    /// Change how many calls a second each instance makes for an object of Salesforce.
    #[command(after_help = help::DESTINATION_RATE)]
    Rate(Rate),
}

#[derive(clap::Args)]
struct Breaker {
    /// The destination.
    name: String,
    /// open, until it is closed; or close, whoever opened it.
    #[arg(value_parser = ["open", "close"])]
    state: String,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY")]
    reason: String,
}

#[derive(clap::Args)]
struct Rate {
    /// The destination.
    name: String,
    /// So many calls a second at most.
    #[arg(long, value_name = "NUMBER", required_unless_present = "reset")]
    per_second: Option<u32>,
    /// As many as the configuration says.
    #[arg(long, conflicts_with = "per_second")]
    reset: bool,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY")]
    reason: String,
}

/// Looks, or changes.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List => list(desk).await,
        What::Pause(which) => which.pause(desk, "destinations").await,
        What::Resume(which) => which.resume(desk, "destinations").await,
        What::Breaker(Breaker { name, state, reason }) => {
            let state = if state == "open" { "open" } else { "closed" };
            let body = json!({ "state": state, "reason": reason });
            turn(desk, &Request::post(&["destinations", name, "breaker"], &body)).await
        }
        What::Rate(Rate { name, per_second, reset: _, reason }) => {
            let body = json!({ "per_second": per_second, "reason": reason });
            turn(desk, &Request::post(&["destinations", name, "rate"], &body)).await
        }
    }
}

async fn turn(desk: &Desk, request: &Request) -> Ended {
    let told = desk.ask(request).await?;
    desk.print(&told, |valve| match valve.text("/changed").as_str() {
        "true" => format!("{}: every instance obeys within a few seconds", valve.text("/name")),
        _ => format!("{}: it was so already", valve.text("/name")),
    });
    Ok(ExitCode::SUCCESS)
}

async fn list(desk: &Desk) -> Ended {
    let told = desk.ask(&Request::get(&["backlog"])).await?;
    desk.print(&told, |backlog| text(desk, backlog));
    if desk.output == Output::Text {
        desk.note("next: dipmo outbox list --destination DESTINATION --status FAILED");
    }
    Ok(ExitCode::SUCCESS)
}

fn text(desk: &Desk, backlog: Object<'_>) -> String {
    let mut table = Table::new(&COLUMNS);
    waiting::destinations(&mut table, backlog);
    let paused = backlog.below("paused").below("destinations");
    if backlog.below("outbox").fields().chain(paused.fields()).next().is_none() {
        return "nothing waits to be delivered".to_owned();
    }
    desk.shown(&table)
}
