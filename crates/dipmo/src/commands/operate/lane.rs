//! `dipmo lane`: who delivers what right now.

use std::process::ExitCode;

use clap::Subcommand;

use super::asking::{Desk, Request, Whom};
use super::list::Listing;
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
    /// List lanes that somebody has leased, or a job holds.
    #[command(after_help = help::LANE_LIST)]
    List,
}

/// Looks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let What::List = args.what;
    let told = desk.ask(&Request::get(&["lanes"])).await?;
    let table = Table::new(&["destination", ">lane", "leased until", ">job", "by"]);
    Listing::of(&told).print(desk, "", table, row, "");
    Ok(ExitCode::SUCCESS)
}

fn row(table: &mut Table, lane: Object<'_>) {
    table.row([
        lane.cell("/destination"),
        lane.cell("/lane"),
        lane.ago("/lease_until"),
        lane.cell("/job"),
        lane.cell("/owner"),
    ]);
}
