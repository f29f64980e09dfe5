//! `dipmo outbox`: what is to be delivered.

use std::process::ExitCode;

use clap::Subcommand;
use dipmo_store::admin::Act;

use super::act::{self, OnUnits};
use super::asking::{Desk, Request, Told, Whom};
use super::filters::UnitFilter;
use super::list::{self, Listing, Part};
use super::reveal::{Which, contents};
use super::show::field::Object;
use super::show::table::{Cell, Table};
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
    /// List units, the newest first: intents, and the records of intents that have some.
    #[command(after_help = help::OUTBOX_LIST)]
    List(List),
    /// Show one intent with its units.
    #[command(after_help = help::OUTBOX_SHOW)]
    Show(Which),
    /// Try units again that failed, or wait for their next attempt.
    #[command(after_help = help::OUTBOX_RETRY)]
    Retry(OnUnits),
    /// Give units up that failed, and let go what waits behind them.
    #[command(after_help = help::OUTBOX_SKIP)]
    Skip(OnUnits),
    /// Let go what waits behind units that failed, and leave them as they are.
    #[command(after_help = help::OUTBOX_RELEASE)]
    Release(OnUnits),
    /// Deliver units a second time that were delivered or given up: knowingly, as new intents.
    #[command(after_help = help::OUTBOX_RESEND)]
    Resend(OnUnits),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    filter: UnitFilter,
    #[command(flatten)]
    part: Part,
}

/// Looks or acts.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List(list) => print(desk, list).await,
        What::Show(which) => show(desk, which).await,
        What::Retry(on) => acts(desk, Act::Retry, on).await,
        What::Skip(on) => acts(desk, Act::Skip, on).await,
        What::Release(on) => acts(desk, Act::Release, on).await,
        What::Resend(on) => acts(desk, Act::Resend, on).await,
    }
}

async fn acts(desk: &Desk, act: Act, on: &OnUnits) -> Ended {
    act::act(desk, act, on.target(desk.now)?, &on.how).await
}

async fn print(desk: &Desk, args: &List) -> Ended {
    let request = args.filter.words(desk.now).ask(Request::get(&["units"]));
    let listing = list::read(desk, &request, args.part.cursor()).await?;
    listing.print(desk, "before", table(), row, "dipmo outbox show ID, dipmo failures list");
    Ok(ExitCode::SUCCESS)
}

/// An intent, and for people its units below it.
async fn show(desk: &Desk, which: &Which) -> Ended {
    let told = desk.ask(&which.ask("intents")).await?;
    desk.print(&told, |intent| text(&told, intent));
    let units =
        Request::get(&["units"]).with("intent", told["id"].as_i64()).with("limit", Some(50));
    if desk.output == crate::output::Output::Text {
        let units = Listing::of(&*desk.ask(&units).await?);
        let next = "dipmo outbox retry ID --reason WHY, dipmo inbox show CAUSE";
        units.print(desk, "before", table(), row, next);
    }
    Ok(ExitCode::SUCCESS)
}

/// A table of units.
pub(crate) fn table() -> Table {
    Table::new(&[
        ">id",
        "created",
        "status",
        "destination",
        "type",
        "aggregate",
        "record",
        ">tries",
        ">cause",
        "note",
    ])
}

/// A line of it.
pub(crate) fn row(table: &mut Table, unit: Object<'_>) {
    table.row([
        unit.cell("/id"),
        unit.ago("/created_at"),
        unit.status("/status"),
        unit.cell("/destination"),
        unit.cell("/event_type"),
        unit.cell("/aggregate_id"),
        unit.cell("/record"),
        unit.cell("/attempts"),
        unit.cell("/cause"),
        Cell::from(note(unit)),
    ]);
}

/// What it waits for, how it failed, or what became of it.
fn note(unit: Object<'_>) -> String {
    let word = |pointer: &str, what: &str| {
        let text = unit.text(pointer);
        if text.is_empty() { text } else { format!("{what} {text}") }
    };
    let skipped = if unit.text("/skipped") == "true" { "given up" } else { "" };
    let parts = [
        skipped.to_owned(),
        word("/held_behind", "held behind"),
        word("/job", "in job"),
        word("/resend_of", "resend of"),
        unit.failure(),
        word("/external_ref", "is there"),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

/// All that is known of an intent.
fn text(told: &Told, intent: Object<'_>) -> String {
    let reply = [intent.text("/reply_to/process"), intent.text("/reply_to/id")].join(" ");
    let fields = [
        ("id", intent.text("/id")),
        ("status", intent.text("/status")),
        ("given up", intent.text("/skipped").replace("false", "")),
        ("held behind", intent.text("/held_behind")),
        ("attempts", intent.text("/attempts")),
        ("next attempt", intent.at("/next_attempt_at")),
        ("failure", intent.failure()),
        ("destination", intent.text("/destination")),
        ("type", intent.text("/event_type")),
        ("version", intent.text("/event_version")),
        (
            "aggregate",
            format!("{} {}", intent.text("/aggregate_type"), intent.text("/aggregate_id")),
        ),
        ("cause", intent.text("/cause")),
        ("resend of", intent.text("/resend_of")),
        ("answer to", reply.trim().to_owned()),
        ("created", intent.at("/created_at")),
    ];
    intent.lines(&fields) + &contents(told, "payload", intent)
}
