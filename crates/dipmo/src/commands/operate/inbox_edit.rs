//! `dipmo inbox edit`: a message that failed says something else, and is tried again.

use std::io::{Read as _, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Ended;
use super::act::{is_meant, meaning_of, somebody_can_be_asked};
use super::asking::{Desk, Refused, Request, Told};
use super::show::field::Object;
use super::show::safe::lines;
use crate::console::err;

/// Which message, and what it is to say.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The message.
    id: i64,
    /// A file with the whole payload, as JSON; `-` reads it from standard input.
    #[arg(long, value_name = "FILE")]
    payload: PathBuf,
    /// The type of the event, if it is to be another.
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY", required_unless_present = "dry_run")]
    reason: Option<String>,
    /// Also where a later one of the same key went on meanwhile.
    #[arg(long)]
    force: bool,
    /// Only show what would become of it.
    #[arg(long)]
    dry_run: bool,
    /// Do it without being asked whether it is meant.
    #[arg(long)]
    yes: bool,
}

/// What the API is asked for: the payload to the letter.
#[derive(Serialize)]
struct Wish<'a> {
    payload: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<&'a str>,
    edits: u64,
    force: bool,
    reason: &'a str,
    dry_run: bool,
}

/// What came, as the API writes it.
#[derive(Deserialize)]
struct Original<'a> {
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// What a message said when it came, below what it says now.
pub(crate) fn original(told: &Told) -> String {
    let written = told.written("original").unwrap_or_default();
    let original: Option<Original<'_>> = serde_json::from_str(&written).ok();
    let payload = original.and_then(|original| original.payload);
    payload.map(|payload| format!("what came\n{}\n", lines(payload.get()))).unwrap_or_default()
}

/// Looks, asks, and edits the message as it was looked at.
pub(crate) async fn run(desk: &Desk, args: &Args) -> Ended {
    if !args.dry_run && !args.yes {
        somebody_can_be_asked()?;
    }
    let (id, payload) = (args.id.to_string(), read(&args.payload)?);
    let message = desk.ask(&Request::get(&["messages", &id])).await?;
    let edits = message["original"]["edits"].as_u64().unwrap_or_default();
    let wish = |dry_run: bool| {
        let body = Wish {
            payload: &payload,
            event_type: args.event_type.as_deref(),
            edits,
            force: args.force,
            reason: args.reason.as_deref().unwrap_or_default(),
            dry_run,
        };
        // It is made of texts, numbers and JSON.
        let body = serde_json::to_string(&body).unwrap_or_default();
        Request::post_written(&["messages", &id, "edit"], body)
    };
    if args.dry_run || !args.yes {
        let told = desk.ask(&wish(true)).await?;
        if args.dry_run {
            desk.print(&told, text);
            return Ok(code(&told["result"]));
        }
        err(&text(desk.object(&told)));
        if told["result"] != DONE || !is_meant("edit it and try it again") {
            err("nothing was changed");
            return Ok(ExitCode::FAILURE);
        }
    }
    let told = desk.ask(&wish(false)).await?;
    desk.print(&told, text);
    Ok(code(&told["result"]))
}

const DONE: &str = "DONE";

fn code(result: &serde_json::Value) -> ExitCode {
    if result == DONE { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn text(told: Object<'_>) -> String {
    let (id, result) = (told.text("/id"), told.text("/result"));
    match (result.as_str(), told.text("/dry_run").as_str()) {
        (DONE, "true") => {
            format!("message {id} would be edited and tried again; what came is kept")
        }
        (DONE, _) => format!("message {id} was edited and is tried again; what came is kept"),
        _ => format!("message {id} is not edited: {}", meaning_of(&result)),
    }
}

/// The payload to the byte.
fn read(path: &Path) -> Result<Box<RawValue>, Refused> {
    let mut text = String::new();
    let done = if path == Path::new("-") {
        stdin().read_to_string(&mut text).map(drop)
    } else {
        std::fs::read_to_string(path).map(|read| text = read)
    };
    let name = path.display();
    done.map_err(|error| {
        Refused::wrong(format!("{name} cannot be read: {error}"), "name a file with JSON in UTF-8")
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Refused::wrong(format!("{name} is no JSON: {error}"), "write the whole payload, as JSON")
    })
}
