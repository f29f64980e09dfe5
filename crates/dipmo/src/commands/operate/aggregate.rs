//! `dipmo aggregate erase`: everything that holds something of an aggregate is blanked.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::act::{is_meant, somebody_can_be_asked};
use super::asking::{Desk, Request, Whom};
use super::show::field::Object;
use super::{Ended, help};
use crate::console::{err, grouped};

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
    /// Blank everything that holds something of an aggregate, for good.
    #[command(after_help = help::AGGREGATE_ERASE)]
    Erase(Erase),
}

#[derive(clap::Args)]
struct Erase {
    /// The aggregate.
    id: String,
    /// Why, in your own words: the audit keeps it.
    #[arg(long, value_name = "WHY", required_unless_present = "dry_run")]
    reason: Option<String>,
    /// An instance that belongs to it and goes by another id; can be said several times.
    #[arg(long, value_name = "PROCESS/ID", value_parser = instance)]
    instance: Vec<Value>,
    /// Also instances that have not ended: what comes for them later is ignored.
    #[arg(long)]
    end_instances: bool,
    /// Only show what would be blanked.
    #[arg(long)]
    dry_run: bool,
    /// Do it without being asked whether it is meant.
    #[arg(long)]
    yes: bool,
}

fn instance(text: &str) -> Result<Value, String> {
    let parts = text.split_once('/').filter(|(process, id)| !process.is_empty() && !id.is_empty());
    let (process, id) = parts.ok_or("say it as PROCESS/ID, such as ORDER/O-17")?;
    Ok(json!({"process": process, "id": id}))
}

/// Looks, asks, and erases.
pub(crate) async fn run(args: &Args, desk: &Desk) -> Ended {
    let What::Erase(args) = &args.what;
    if !args.dry_run && !args.yes {
        somebody_can_be_asked()?;
    }
    let wish = |dry_run: bool| {
        let body = json!({
            "reason": args.reason.as_deref().unwrap_or_default(),
            "instances": args.instance,
            "end_instances": args.end_instances,
            "dry_run": dry_run,
        });
        Request::post(&["aggregates", &args.id, "erase"], &body)
    };
    if args.dry_run || !args.yes {
        let looked = desk.ask(&wish(true)).await?;
        if args.dry_run {
            desk.print(&looked, text);
            return Ok(ExitCode::SUCCESS);
        }
        err(&text(desk.object(&looked)));
        if !is_meant("erase it") {
            err("nothing was changed");
            return Ok(ExitCode::FAILURE);
        }
    }
    let told = desk.ask(&wish(false)).await?;
    desk.print(&told, text);
    Ok(ExitCode::SUCCESS)
}

fn text(told: Object<'_>) -> String {
    let is_dry = told.text("/dry_run") == "true";
    let (word, count) = if is_dry { ("would be", "/left") } else { ("was", "/blanked") };
    let mut text = format!("{} {word} erased\n", told.text("/aggregate"));
    for table in told.list("/tables") {
        text.push_str(&format!(
            "  {:>9}  {}\n",
            grouped(table.number(count)),
            table.text("/table")
        ));
    }
    if !is_dry {
        let left: u64 = told.list("/tables").map(|table| table.number("/left")).sum();
        text.push_str(&format!("  {:>9}  rows hold something still\n", grouped(left)));
    }
    let name = |it: Object<'_>| format!("{}/{}", it.text("/process"), it.text("/id"));
    let instances: Vec<String> = told.list("/instances").map(name).collect();
    if !instances.is_empty() {
        text.push_str(&format!("instances: {}\n", instances.join(", ")));
    }
    let archives: Vec<String> = told.list("/archives").map(|lot| lot.text("/id")).collect();
    if !archives.is_empty() {
        text.push_str(&format!(
            "files of these archives may hold something still: {}\nnext: dipmo archive restore ID --reason WHY, which blanks it\n",
            archives.join(", ")
        ));
    }
    text
}
