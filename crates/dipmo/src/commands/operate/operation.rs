//! `dipmo operation`: what operators do to many messages or units, while it runs and afterwards.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::act::{LEFT, conclude, counts, follow};
use super::asking::{Desk, Request, Whom};
use super::leaving::leaving;
use super::list::{self, Cursor, HowMany, Part};
use super::show::field::Object;
use super::show::table::Table;
use super::{Ended, help};

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
    /// List operations, the newest first.
    #[command(after_help = help::OPERATION_LIST)]
    List(Part),
    /// Show how far an operation is, or its items.
    #[command(after_help = help::OPERATION_SHOW)]
    Show(Show),
    /// Wait until an operation has ended.
    #[command(after_help = help::OPERATION_WATCH)]
    Watch {
        /// Its number.
        id: i64,
    },
    /// Let an operation wait.
    #[command(after_help = help::OPERATION_PAUSE)]
    Pause(Change),
    /// Let an operation that waits go on.
    #[command(after_help = help::OPERATION_RESUME)]
    Resume(Change),
    /// End an operation; what was done stays done.
    #[command(after_help = help::OPERATION_CANCEL)]
    Cancel(Change),
}

#[derive(clap::Args)]
struct Show {
    /// Its number.
    id: i64,
    /// List its items.
    #[arg(long)]
    items: bool,
    /// List the items that met this end, such as OVERTAKEN.
    #[arg(long)]
    result: Option<String>,
    /// Only items behind this id: a list that was cut says which.
    #[arg(long, value_name = "ID")]
    behind: Option<i64>,
    #[command(flatten)]
    how_many: HowMany,
}

#[derive(clap::Args)]
struct Change {
    /// Its number.
    id: i64,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY")]
    reason: String,
}

/// Looks, waits or changes.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List(part) => {
            let listing = list::read(desk, &Request::get(&["operations"]), part.cursor()).await?;
            listing.print(desk, "before", table(), row, "dipmo operation show ID");
            Ok(ExitCode::SUCCESS)
        }
        What::Show(which) if which.items || which.result.is_some() => items(desk, which).await,
        What::Show(Show { id, .. }) => {
            let told = desk.ask(&Request::get(&["operations", &id.to_string()])).await?;
            desk.print(&told, text);
            Ok(ExitCode::SUCCESS)
        }
        What::Watch { id } => match follow(desk, *id, &leaving()).await? {
            Some(operation) => Ok(conclude(desk, &operation)),
            None => Ok(ExitCode::from(LEFT)),
        },
        What::Pause(it) => change(desk, it, "pause", "PAUSED").await,
        What::Resume(it) => change(desk, it, "resume", "RUNNING").await,
        What::Cancel(it) => change(desk, it, "cancel", "CANCELLED").await,
    }
}

/// Says to an operation how to go on. One that has ended stays so, which is a no.
async fn change(desk: &Desk, which: &Change, word: &str, becomes: &str) -> Ended {
    let body = json!({ "reason": which.reason });
    let told =
        desk.ask(&Request::post(&["operations", &which.id.to_string(), word], &body)).await?;
    desk.print(&told, text);
    let is_so = told["state"] == becomes;
    if !is_so {
        desk.note(&format!("it is too late to {word} it"));
    }
    Ok(if is_so { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn items(desk: &Desk, which: &Show) -> Ended {
    let request = Request::get(&["operations", &which.id.to_string(), "items"])
        .with("result", which.result.as_ref());
    let from = which.behind.map(|behind| behind.to_string());
    let cursor = Cursor { how_many: &which.how_many, name: "behind", from };
    let listing = list::read(desk, &request, cursor).await?;
    let table = Table::new(&[">id", "it was", ">tries", ">retried", "result"]);
    let row = |table: &mut Table, item: Object<'_>| {
        table.row([
            item.cell("/id"),
            item.status("/seen/status"),
            item.cell("/seen/attempts"),
            item.cell("/seen/retried"),
            item.cell("/result"),
        ]);
    };
    listing.print(desk, "behind", table, row, "");
    Ok(ExitCode::SUCCESS)
}

fn table() -> Table {
    Table::new(&[">id", "began", "state", "act", "side", ">items", ">met", ">done", "by", "why"])
}

fn row(table: &mut Table, operation: Object<'_>) {
    table.row([
        operation.cell("/id"),
        operation.ago("/created_at"),
        operation.status("/state"),
        operation.cell("/act"),
        operation.cell("/side"),
        operation.cell("/items"),
        operation.cell("/met"),
        operation.cell("/done"),
        operation.cell("/actor"),
        operation.cell("/reason"),
    ]);
}

/// All that is known of an operation.
fn text(operation: Object<'_>) -> String {
    let fields = [
        ("id", operation.text("/id")),
        ("state", operation.text("/state")),
        ("act", operation.text("/act")),
        ("side", operation.text("/side")),
        ("by force", operation.text("/force").replace("false", "")),
        ("a second", operation.text("/per_second")),
        ("by", operation.text("/actor")),
        ("why", operation.text("/reason")),
        ("performed by", operation.text("/owner")),
        ("began", operation.at("/created_at")),
        ("ended", operation.at("/ended_at")),
        ("items", operation.text("/items")),
        ("met", operation.text("/met")),
        ("done", operation.text("/done")),
    ];
    operation.lines(&fields) + &counts(operation)
}
