//! `dipmo process`: processes, and their instances.

use std::process::ExitCode;

use clap::Subcommand;

use super::asking::{Desk, Request, Told, Whom};
use super::list::{self, Cursor, HowMany, Listing};
use super::reveal::{Reveal, contents};
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::{Ended, help, process_move};

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
    /// List the processes, with the states that their instances can stand in.
    #[command(after_help = help::PROCESS_LIST)]
    List,
    /// List instances of a process, in the order of their ids.
    #[command(after_help = help::PROCESS_INSTANCES)]
    Instances(Instances),
    /// Show one instance of a process.
    #[command(after_help = help::PROCESS_SHOW)]
    Show(Show),
    /// Move an instance to a state of its process, by hand; to one in which it ends, to complete it.
    #[command(after_help = help::PROCESS_MOVE)]
    Move(process_move::Args),
}

#[derive(clap::Args)]
struct Instances {
    /// The process.
    process: String,
    /// In this state.
    #[arg(long)]
    state: Option<String>,
    /// Whose id begins so.
    #[arg(long)]
    prefix: Option<String>,
    /// With a failure.
    #[arg(long)]
    failed: bool,
    /// Only ids behind this one: a list that was cut says which.
    #[arg(long, value_name = "ID")]
    behind: Option<String>,
    #[command(flatten)]
    how_many: HowMany,
}

#[derive(clap::Args)]
struct Show {
    /// The process.
    process: String,
    /// The instance.
    id: String,
    #[command(flatten)]
    reveal: Reveal,
}

/// Looks, or moves one.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List => {
            let told = desk.ask(&Request::get(&["processes"])).await?;
            let table = Table::new(&["process", "states", "ends in"]);
            let next = "dipmo process instances PROCESS";
            Listing::of(&told).print(desk, "", table, line, next);
        }
        What::Instances(which) => instances(desk, which).await?,
        What::Show(Show { process, id, reveal }) => {
            let request = Request::get(&["processes", process, "instances", id]);
            let told = desk.ask(&reveal.ask(request)).await?;
            desk.print(&told, |instance| text(&told, instance));
        }
        What::Move(args) => return process_move::run(desk, args).await,
    }
    Ok(ExitCode::SUCCESS)
}

fn line(table: &mut Table, process: Object<'_>) {
    let names = |pointer: &str| {
        let names: Vec<String> = process.list(pointer).map(|state| state.text("")).collect();
        Cell::from(names.join(", "))
    };
    table.row([process.cell("/name"), names("/states"), names("/ends")]);
}

async fn instances(desk: &Desk, which: &Instances) -> Result<(), super::asking::Refused> {
    let request = Request::get(&["processes", &which.process, "instances"])
        .with("state", which.state.as_ref())
        .with("prefix", which.prefix.as_ref())
        .with("failed", which.failed.then_some(true));
    let cursor = Cursor { how_many: &which.how_many, name: "behind", from: which.behind.clone() };
    let listing = list::read(desk, &request, cursor).await?;
    let table = Table::new(&["id", "state", ">version", "last event", ">tries", "note"]);
    let row = |table: &mut Table, instance: Object<'_>| {
        table.row([
            instance.cell("/id"),
            instance.cell("/state"),
            instance.cell("/version"),
            instance.ago("/last_event_ts"),
            instance.cell("/attempts"),
            Cell::from(instance.failure()),
        ]);
    };
    listing.print(desk, "behind", table, row, &format!("dipmo process show {} ID", which.process));
    Ok(())
}

/// All that is known of an instance.
fn text(told: &Told, instance: Object<'_>) -> String {
    let versions = instance.text("/event_versions");
    let timer = |it: Object<'_>| format!("{} at {}", it.text("/name"), it.text("/due_at"));
    let timers: Vec<String> = instance.list("/timers").map(timer).collect();
    let fields = [
        ("process", instance.text("/process")),
        ("id", instance.text("/id")),
        ("state", instance.text("/state")),
        ("version", instance.text("/version")),
        ("source versions", versions.replace("{}", "")),
        ("attempts", instance.text("/attempts")),
        ("failure", instance.failure()),
        ("last event", instance.at("/last_event_ts")),
        ("timers", timers.join(", ")),
    ];
    instance.lines(&fields) + &contents(told, "context", instance)
}
