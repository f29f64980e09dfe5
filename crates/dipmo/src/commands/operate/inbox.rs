//! `dipmo inbox`: messages that came in.

use std::process::ExitCode;

use clap::Subcommand;
use dipmo_store::admin::Act;

use super::act::{self, OnMessages};
use super::asking::{Desk, Request, Told, Whom};
use super::filters::MessageFilter;
use super::list::{self, Part};
use super::reveal::{Which, contents};
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::{Ended, help, inbox_edit, journey};

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
    /// List messages, the newest first.
    #[command(after_help = help::INBOX_LIST)]
    List(List),
    /// Show one message: where it stands, its failure, its payload.
    #[command(after_help = help::INBOX_SHOW)]
    Show(Which),
    /// Show what came of a message: decisions, and what was sent because of them.
    #[command(after_help = help::INBOX_JOURNEY)]
    Journey(journey::Args),
    /// Try messages again that failed, wait for their next attempt, or are parked.
    #[command(after_help = help::INBOX_RETRY)]
    Retry(OnMessages),
    /// End messages without processing them, and let go what waits behind them.
    #[command(after_help = help::INBOX_SKIP)]
    Skip(OnMessages),
    /// Let go what waits behind messages that failed or cannot be decoded, and leave them as they are.
    #[command(after_help = help::INBOX_RELEASE)]
    Release(OnMessages),
    /// Decode messages again that could not be decoded, by the rules of the configuration.
    #[command(after_help = help::INBOX_REPARSE)]
    Reparse(OnMessages),
    /// Let a message that failed say something else, and try it again; what came is kept.
    #[command(after_help = help::INBOX_EDIT)]
    Edit(inbox_edit::Args),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    filter: MessageFilter,
    #[command(flatten)]
    part: Part,
}

/// Looks or acts.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List(list) => print(desk, list).await,
        What::Show(which) => {
            let told = desk.ask(&which.ask("messages")).await?;
            desk.print(&told, |message| text(&told, message));
            Ok(ExitCode::SUCCESS)
        }
        What::Journey(which) => journey::show(desk, which).await,
        What::Retry(on) => acts(desk, Act::Retry, on).await,
        What::Skip(on) => acts(desk, Act::Skip, on).await,
        What::Release(on) => acts(desk, Act::Release, on).await,
        What::Reparse(on) => acts(desk, Act::Reparse, on).await,
        What::Edit(args) => inbox_edit::run(desk, args).await,
    }
}

async fn acts(desk: &Desk, act: Act, on: &OnMessages) -> Ended {
    act::act(desk, act, on.target(desk.now)?, &on.how).await
}

async fn print(desk: &Desk, args: &List) -> Ended {
    let request = args.filter.words(desk.now).ask(Request::get(&["messages"]));
    let listing = list::read(desk, &request, args.part.cursor()).await?;
    let next = "dipmo inbox show ID, dipmo inbox journey ID, dipmo failures list";
    listing.print(desk, "before", table(), row, next);
    Ok(ExitCode::SUCCESS)
}

/// A table of messages.
pub(crate) fn table() -> Table {
    Table::new(&[">id", "received", "status", "topic", "type", "aggregate", ">tries", "note"])
}

/// A line of it.
pub(crate) fn row(table: &mut Table, message: Object<'_>) {
    table.row([
        message.cell("/id"),
        message.ago("/received_at"),
        message.status("/status"),
        message.cell("/topic"),
        message.cell("/event_type"),
        message.cell("/aggregate_id"),
        message.cell("/attempts"),
        Cell::from(note(message)),
    ]);
}

/// What it waits for, how it failed, or how it ended.
fn note(message: Object<'_>) -> String {
    let (held, failure) = (message.text("/held_behind"), message.failure());
    let parked = if message.text("/parked") == "true" { "parked; " } else { "" };
    match (held.as_str(), failure.as_str()) {
        ("", "") => format!("{parked}{}", message.text("/outcome")),
        ("", _) => format!("{parked}{failure}"),
        (_, "") => format!("held behind {held}"),
        _ => format!("held behind {held}; {failure}"),
    }
}

/// All that is known of a message.
fn text(told: &Told, message: Object<'_>) -> String {
    let place = format!(
        "{}/{}@{}",
        message.text("/topic"),
        message.text("/partition"),
        message.text("/offset")
    );
    let edited = [message.at("/original/edited_at"), message.text("/original/edited_by")].join(" ");
    let fields = [
        ("id", message.text("/id")),
        ("status", message.text("/status")),
        ("outcome", message.text("/outcome")),
        ("held behind", message.text("/held_behind")),
        ("attempts", message.text("/attempts")),
        ("next attempt", message.at("/next_attempt_at")),
        ("failure", message.failure()),
        ("stage", message.text("/error_stage")),
        ("message id", message.text("/message_id")),
        ("source", message.text("/source_system")),
        ("place", place),
        ("key", message.text("/key")),
        ("type", message.text("/event_type")),
        ("version", message.text("/event_version")),
        ("aggregate", message.text("/aggregate_id")),
        ("source version", message.text("/source_version")),
        ("happened", message.at("/event_ts")),
        ("received", message.at("/received_at")),
        ("processed", message.at("/processed_at")),
        ("lane", message.text("/lane")),
        ("replay of", message.text("/replay_of")),
        ("edited", edited.trim().to_owned()),
    ];
    message.lines(&fields) + &contents(told, "payload", message) + &inbox_edit::original(told)
}
