//! `dipmo archive`: history in files.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::asking::{Desk, Request, Whom};
use super::list::{self, Part};
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
    /// List archives, the newest first.
    #[command(after_help = help::ARCHIVE_LIST)]
    List(Part),
    /// Show which instance keeps history, and what keeps it from doing so.
    #[command(after_help = help::ARCHIVE_KEEPER)]
    Keeper,
    /// Drop now what is too old, by way of the archive, and not within the hour.
    #[command(after_help = help::ARCHIVE_RUN)]
    Run {
        /// Why, in your own words: the audit keeps it.
        #[arg(long, value_name = "WHY")]
        reason: String,
    },
    /// Let the files of an archive be compared with their checksums.
    #[command(after_help = help::ARCHIVE_VERIFY)]
    Verify {
        /// Its number in the list.
        id: i64,
        /// Why, in your own words: the audit keeps it.
        #[arg(long, value_name = "WHY")]
        reason: String,
    },
    /// Let an archive be put back as history: nothing is processed or sent because of it.
    #[command(after_help = help::ARCHIVE_RESTORE)]
    Restore {
        /// Its number in the list.
        id: i64,
        /// For how many days it stays at least.
        #[arg(long, value_name = "NUMBER", default_value_t = 7)]
        days: u16,
        /// Why, in your own words: the audit keeps it.
        #[arg(long, value_name = "WHY")]
        reason: String,
    },
}

/// Looks or asks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List(part) => {
            let listing = list::read(desk, &Request::get(&["archives"]), part.cursor()).await?;
            listing.print(desk, "before", table(), row, "dipmo archive restore ID --reason WHY");
        }
        What::Keeper => {
            let told = desk.ask(&Request::get(&["archives", "keeper"])).await?;
            desk.print(&told, keeper);
        }
        What::Run { reason } => {
            let body = json!({ "reason": reason });
            let told = desk.ask(&Request::post(&["archives", "run"], &body)).await?;
            desk.print(&told, keeper);
        }
        What::Verify { id, reason } => {
            wish(desk, *id, "verify", json!({ "reason": reason })).await?;
        }
        What::Restore { id, days, reason } => {
            wish(desk, *id, "restore", json!({ "reason": reason, "days": days })).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the instance that keeps history for something; the list tells what became of it.
async fn wish(
    desk: &Desk,
    id: i64,
    word: &str,
    body: serde_json::Value,
) -> Result<(), super::asking::Refused> {
    let told = desk.ask(&Request::post(&["archives", &id.to_string(), word], &body)).await?;
    desk.print(&told, text);
    desk.note(
        "the instance that keeps history does it; `dipmo archive list` tells what became of it",
    );
    Ok(())
}

fn table() -> Table {
    Table::new(&[
        ">id",
        "month",
        "side",
        "state",
        ">rows",
        ">records",
        ">bytes",
        "archived",
        "wish",
        "checked",
        "problem",
        "restored until",
    ])
}

fn row(table: &mut Table, lot: Object<'_>) {
    table.row([
        lot.cell("/id"),
        lot.cell("/month"),
        lot.cell("/side"),
        lot.status("/state"),
        lot.cell("/rows"),
        lot.cell("/records"),
        lot.cell("/bytes"),
        lot.ago("/archived_at"),
        lot.cell("/wish"),
        lot.ago("/checked_at"),
        lot.cell("/problem"),
        lot.ago("/restored_until"),
    ]);
}

/// All that is known of an archive.
fn text(lot: Object<'_>) -> String {
    lot.lines(&[
        ("id", lot.text("/id")),
        ("month", lot.text("/month")),
        ("side", lot.text("/side")),
        ("state", lot.text("/state")),
        ("directory", lot.text("/directory")),
        ("rows", lot.text("/rows")),
        ("records", lot.text("/records")),
        ("bytes", lot.text("/bytes")),
        ("archived", lot.at("/archived_at")),
        ("dropped", lot.at("/dropped_at")),
        ("wish", lot.text("/wish")),
        ("checked", lot.at("/checked_at")),
        ("problem", lot.text("/problem")),
        ("restored until", lot.at("/restored_until")),
    ])
}

fn keeper(keeper: Object<'_>) -> String {
    keeper.lines(&[
        ("kept by", keeper.text("/owner")),
        ("at least until", keeper.at("/lease_until")),
        ("asked for", keeper.at("/asked_at")),
        ("trouble", keeper.text("/trouble")),
    ])
}
