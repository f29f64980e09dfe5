//! `dipmo source`: where messages come from.

use std::process::ExitCode;

use clap::Subcommand;

use super::asking::{Desk, Request, Whom};
use super::list::Listing;
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::steer::{self, Steer};
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
    /// List the sources, and which of them rest.
    #[command(after_help = help::SOURCE_LIST)]
    List,
    /// Take nothing more from a source, on every instance, until it is resumed.
    #[command(after_help = help::SOURCE_PAUSE)]
    Pause(Steer),
    /// Let a source that rests go on.
    #[command(after_help = help::SOURCE_RESUME)]
    Resume(Steer),
}

/// Looks, or changes.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List => {
            let told = desk.ask(&Request::get(&["sources"])).await?;
            let table = Table::new(&["source", "kind", "paused"]);
            Listing::of(&told).print(desk, "", table, line, "");
            Ok(ExitCode::SUCCESS)
        }
        What::Pause(which) => which.pause(desk, "sources").await,
        What::Resume(which) => which.resume(desk, "sources").await,
    }
}

fn line(table: &mut Table, source: Object<'_>) {
    let paused = Cell::from(steer::pause(source.below("paused")));
    table.row([source.cell("/name"), source.cell("/kind"), paused]);
}
