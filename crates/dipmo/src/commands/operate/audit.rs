//! `dipmo audit`: who did what, when and why.

use std::process::ExitCode;

use clap::Subcommand;

use super::asking::{Desk, Request, Whom};
use super::list::{self, Part};
use super::show::field::Object;
use super::show::table::Table;
use super::show::when::Moment;
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
    /// List what people did, the newest first.
    #[command(after_help = help::AUDIT_LIST)]
    List(List),
}

#[derive(clap::Args)]
struct List {
    /// By whom: the name of a token, or `cli:` and a user of the system.
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// What, such as operation.begin or reveal.
    #[arg(long)]
    action: Option<String>,
    /// To what, such as inbox/4711 or operation/7.
    #[arg(long)]
    target: Option<String>,
    /// At or after this: a time, or how long ago, such as 2h.
    #[arg(long, value_name = "TIME")]
    since: Option<Moment>,
    /// Before this.
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
    #[command(flatten)]
    part: Part,
}

/// Looks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let What::List(List { actor, action, target, since, until, part }) = &args.what;
    let request = Request::get(&["audit"])
        .with("actor", actor.as_ref())
        .with("action", action.as_ref())
        .with("target", target.as_ref())
        .with("since", since.map(|since| since.at(desk.now)))
        .with("until", until.map(|until| until.at(desk.now)));
    let listing = list::read(desk, &request, part.cursor()).await?;
    let table = Table::new(&[">id", "when", "who", "role", "did", "to", "why"]);
    listing.print(desk, "before", table, row, "");
    Ok(ExitCode::SUCCESS)
}

fn row(table: &mut Table, entry: Object<'_>) {
    table.row([
        entry.cell("/id"),
        entry.ago("/at"),
        entry.cell("/actor"),
        entry.cell("/role"),
        entry.cell("/action"),
        entry.cell("/target"),
        entry.cell("/reason"),
    ]);
}
