//! `dipmo process move`: an instance is moved to another state, by hand.

use std::process::ExitCode;

use serde_json::json;

use super::Ended;
use super::act::{is_meant, somebody_can_be_asked};
use super::asking::{Desk, Request};
use super::show::field::Object;
use crate::console::err;

/// Which instance, and where to.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The process.
    process: String,
    /// The instance.
    id: String,
    /// The state that it is to stand in; `dipmo process list` shows those of each process.
    state: String,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY", required_unless_present = "dry_run")]
    reason: Option<String>,
    /// Only if it still has this version. Without it, the one that it has when the command looks.
    #[arg(long, value_name = "NUMBER")]
    version: Option<i64>,
    /// Only show what would be done.
    #[arg(long)]
    dry_run: bool,
    /// Do it without being asked whether it is meant.
    #[arg(long)]
    yes: bool,
}

/// Looks, asks, and moves it as it was looked at.
pub(crate) async fn run(desk: &Desk, args: &Args) -> Ended {
    if !args.dry_run && !args.yes {
        somebody_can_be_asked()?;
    }
    let wish = |version: Option<i64>, dry_run: bool| {
        let body = json!({
            "state": args.state,
            "version": version,
            "reason": args.reason.as_deref().unwrap_or_default(),
            "dry_run": dry_run,
        });
        Request::post(&["processes", &args.process, "instances", &args.id, "move"], &body)
    };
    let looked = desk.ask(&wish(None, true)).await?;
    if args.dry_run {
        desk.print(&looked, |told| text(told, "would move"));
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        err(&text(desk.object(&looked), "would move"));
        if !is_meant("move it") {
            err("nothing was changed");
            return Ok(ExitCode::FAILURE);
        }
    }
    let version = args.version.or_else(|| looked["version"].as_i64());
    let told = desk.ask(&wish(version, false)).await?;
    desk.print(&told, |told| text(told, "moved"));
    Ok(ExitCode::SUCCESS)
}

fn text(told: Object<'_>, word: &str) -> String {
    let timers: Vec<String> = told.list("/timers").map(|timer| timer.text("/name")).collect();
    let without = if timers.is_empty() {
        String::new()
    } else {
        format!("\ntimers taken away: {}", timers.join(", "))
    };
    format!(
        "{} {} {word} from {} to {}, version {}{without}\nnothing is sent, and its context stays as it is",
        told.text("/process"),
        told.text("/id"),
        told.text("/from"),
        told.text("/to"),
        told.text("/version"),
    )
}
