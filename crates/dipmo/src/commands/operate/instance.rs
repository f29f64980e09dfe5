//! `dipmo instance`: the instances of dipmo that work on a database.

use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use dipmo_domain::Timestamp;

use super::asking::{Desk, Request, Whom};
use super::list::Listing;
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::{Ended, help};

/// An instance tells of itself every ten seconds: who has not for so long is gone, or cannot.
const SILENT: Duration = Duration::from_secs(60);

const GREEN: u8 = 32;
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
    /// List instances, those that were heard of last first.
    #[command(after_help = help::INSTANCE_LIST)]
    List {
        /// How many at most.
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: u32,
    },
}

/// Looks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let What::List { limit } = &args.what;
    let told = desk.ask(&Request::get(&["instances"]).with("limit", Some(limit))).await?;
    let now = told["now"].as_str().and_then(Timestamp::from_rfc3339).unwrap_or(desk.now);
    let table = Table::new(&["name", "version", "roles", "started", "heard of", "it is"]);
    let row = |table: &mut Table, instance: Object<'_>| row(table, instance.seen_at(now), now);
    Listing::of(&told).print(desk, "", table, row, "");
    Ok(ExitCode::SUCCESS)
}

fn row(table: &mut Table, instance: Object<'_>, now: Timestamp) {
    table.row([
        instance.cell("/name"),
        instance.cell("/version"),
        instance.cell("/roles"),
        instance.ago("/started_at"),
        instance.ago("/seen_at"),
        state(instance, now),
    ]);
}

/// How it is by its own word, unless that is old.
fn state(instance: Object<'_>, now: Timestamp) -> Cell {
    let seen = Timestamp::from_rfc3339(&instance.text("/seen_at"));
    if seen.is_none_or(|seen| now.since(seen) > SILENT) {
        return Cell::coloured("silent: gone, or cut off from the database", Some(RED));
    }
    let reasons: Vec<String> = instance
        .list("/report/reasons")
        .map(|reason| format!("{} ({})", reason.text("/name"), reason.text("/about")))
        .collect();
    let (word, colour) = match instance.text("/report/ready").as_str() {
        "true" => ("ready", Some(GREEN)),
        "false" => ("not ready", Some(RED)),
        _ => ("there", None),
    };
    let separator = if reasons.is_empty() { "" } else { ": " };
    Cell::coloured(&format!("{word}{separator}{}", reasons.join(", ")), colour)
}
