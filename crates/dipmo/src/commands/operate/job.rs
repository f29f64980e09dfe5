//! `dipmo job`: units that a destination takes at once and works through by itself.

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
    /// List jobs that have not ended, then the newest that have.
    #[command(after_help = help::JOB_LIST)]
    List {
        /// How many at most.
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: u32,
    },
}

/// Looks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let What::List { limit } = &args.what;
    let told = desk.ask(&Request::get(&["jobs"]).with("limit", Some(limit))).await?;
    let table =
        Table::new(&[">id", "destination", "phase", "since", ">units", "began", "is there"]);
    Listing::of(&told).print(desk, "", table, row, "");
    Ok(ExitCode::SUCCESS)
}

fn row(table: &mut Table, job: Object<'_>) {
    table.row([
        job.cell("/id"),
        job.cell("/destination"),
        job.status("/phase"),
        job.ago("/phase_at"),
        job.cell("/units"),
        job.ago("/created_at"),
        job.cell("/remote"),
    ]);
}
