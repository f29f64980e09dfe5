//! `dipmo failures`: what is stuck, grouped by cause.

use std::process::ExitCode;

use clap::Subcommand;
use dipmo_domain::Fingerprint;
use serde_json::{Value, json};

use super::asking::{Desk, Refused, Request, Whom};
use super::list::Listing;
use super::show::field::Object;
use super::show::table::Table;
use super::{Ended, help, inbox, outbox};
use crate::console::out;
use crate::output::Output;

/// So many groups are read: more causes than that nobody looks at.
const MOST: u32 = 500;
/// So many messages or units of a group are shown.
const SOME: u32 = 10;

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
    /// List groups of failures, those with the newest first.
    #[command(after_help = help::FAILURES_LIST)]
    List {
        /// How many at most.
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: u32,
    },
    /// Show one group, with some of its messages or units.
    #[command(after_help = help::FAILURES_SHOW)]
    Show {
        /// The group, by its id in the list.
        group: Fingerprint,
    },
}

/// Looks.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    match &args.what {
        What::List { limit } => {
            let told = desk.ask(&Request::get(&["failures"]).with("limit", Some(limit))).await?;
            let table = Table::new(&[
                "group",
                "side",
                ">failed",
                ">retrying",
                "last",
                "code",
                "what they say",
            ]);
            Listing::of(&told).print(desk, "", table, row, "dipmo failures show GROUP");
            Ok(ExitCode::SUCCESS)
        }
        What::Show { group } => show(desk, &group.to_string()).await,
    }
}

fn row(table: &mut Table, group: Object<'_>) {
    table.row([
        group.cell("/fingerprint"),
        group.cell("/side"),
        group.cell("/failed"),
        group.cell("/retrying"),
        group.ago("/last_seen"),
        group.cell("/code"),
        group.cell("/pattern"),
    ]);
}

async fn show(desk: &Desk, id: &str) -> Ended {
    let told = desk.ask(&Request::get(&["failures"]).with("limit", Some(MOST))).await?;
    let groups = told["rows"].as_array();
    let Some(group) = groups.and_then(|all| all.iter().find(|it| it["fingerprint"] == *id)) else {
        let message = format!("there is no group of failures {id}, or nothing fails so any more");
        return Err(Refused::nothing(message, "`dipmo failures list` shows those that there are"));
    };
    let (list, noun) = match group["side"].as_str() {
        Some("outbox") => ("units", "outbox"),
        _ => ("messages", "inbox"),
    };
    let some = Request::get(&[list]).with("failure", Some(id)).with("limit", Some(SOME));
    let some = desk.ask(&some).await?;
    if desk.output == Output::Json {
        out(&json!({ "failure": group, list: some["rows"] }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    out(text(desk.object(group)).trim_end());
    print(desk, noun, &some, id);
    Ok(ExitCode::SUCCESS)
}

/// Some of the group, and what can be done about all of it.
fn print(desk: &Desk, noun: &str, some: &Value, id: &str) {
    let listing = Listing::of(some);
    let next = format!(
        "dipmo {noun} show ID\n      dipmo {noun} retry --failure {id} --reason WHY    once the cause is mended\n      \
         dipmo {noun} skip --failure {id} --reason WHY     if they are never to be done"
    );
    match noun {
        "outbox" => listing.print(desk, "", outbox::table(), outbox::row, &next),
        _ => listing.print(desk, "", inbox::table(), inbox::row, &next),
    }
}

fn text(group: Object<'_>) -> String {
    let fields = [
        ("group", group.text("/fingerprint")),
        ("side", group.text("/side")),
        ("stage", group.text("/stage")),
        ("code", group.text("/code")),
        ("they say", group.text("/pattern")),
        ("failed", group.text("/failed")),
        ("retrying", group.text("/retrying")),
        ("first", group.at("/first_seen")),
        ("last", group.at("/last_seen")),
        ("one of them", group.text("/sample")),
    ];
    group.lines(&fields)
}
