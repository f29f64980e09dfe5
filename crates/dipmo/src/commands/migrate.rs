//! `dipmo migrate`: what a database lacks, shown or made.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use dipmo::wiring::Pipeline;
use dipmo_domain::StoreError;
use dipmo_store::schema::{Plan, Status};
use dipmo_store::{StateMapping, Store};
use serde_json::{Value, json};

use super::files::{ConfigArgs, refuse, show as show_problems};
use crate::console::out;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo migrate                                 what is applied, and what is left
  dipmo migrate plan                            what apply would do; exit code 1 when there is something
  dipmo migrate print > schema.sql              all SQL for an empty database, which is not asked
  dipmo migrate apply                           does it; safe from any number of instances at once
  dipmo migrate apply --map HIT.QUALIFIED=REVIEW_STARTED
                                                instances whose state is gone go on there
  dipmo migrate status --output json            for a script

The exit code is 0 when nothing is left to do, 1 when something is, and 2 when the database could not be
asked or would not have it.";

/// How long a database that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What to do, and with which files.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: ConfigArgs,
    /// How to print it.
    #[arg(long, value_enum, global = true, default_value = "text")]
    output: Output,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Show what was applied, and whether this version may run.
    Status,
    /// Show what apply would do.
    Plan,
    /// Print all SQL that makes an empty database one that this configuration runs on.
    Print,
    /// Bring the schema up to date.
    Apply(Apply),
}

#[derive(clap::Args)]
struct Apply {
    /// Where instances go on whose state is gone: PROCESS.OLD=NEW. May be repeated.
    #[arg(long, value_name = "PROCESS.OLD=NEW")]
    map: Vec<Move>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// From a state that is gone to one that is there.
#[derive(Clone)]
struct Move {
    process: String,
    from: String,
    to: String,
}

impl FromStr for Move {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(old, to)| Some((old.split_once('.')?, to)));
        match parts {
            Some(((process, from), to)) if ![process, from, to].contains(&"") => {
                let [process, from, to] = [process, from, to].map(str::to_owned);
                Ok(Self { process, from, to })
            }
            _ => Err("say PROCESS.OLD=NEW, such as HIT.QUALIFIED=REVIEW_STARTED".to_owned()),
        }
    }
}

/// Looks or applies.
pub(crate) async fn run(args: &Args) -> Result<ExitCode> {
    let pipeline = match args.files.assemble() {
        Ok(pipeline) => pipeline,
        Err(code) => return Ok(code),
    };
    show_problems(pipeline.warnings(), pipeline.files());
    if matches!(args.what, Some(What::Print)) {
        out(pipeline.script().trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    let store = match pipeline.open_as_it_is(PATIENCE).await {
        Ok(store) => store,
        Err(problem) => return Ok(refuse(&problem, pipeline.files())),
    };
    match done(args, &pipeline, &store).await {
        Ok(code) => Ok(code),
        Err(error) => Ok(refuse(&pipeline.about_store(&error), pipeline.files())),
    }
}

async fn done(
    args: &Args,
    pipeline: &Pipeline,
    store: &Arc<dyn Store>,
) -> Result<ExitCode, StoreError> {
    let tables = pipeline.tables();
    match &args.what {
        // Printing is over before anybody is asked.
        None | Some(What::Status | What::Print) => {
            let status = store.status(tables).await?;
            show(args.output, &status_text(&status), &status_json(&status));
            Ok(if status.may_run.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some(What::Plan) => {
            let plan = store.plan(tables).await?;
            show(args.output, &plan_text(&plan), &plan_json(&plan));
            Ok(if plan.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some(What::Apply(Apply { map })) => {
            let mapping = map.iter().fold(StateMapping::default(), |mapping, it| {
                mapping.and(&it.process, &it.from, &it.to)
            });
            let applied = store.migrate_mapping(tables, &mapping).await?;
            let steps = applied.iter().map(|it| json!({"version": it.version, "name": it.name}));
            let mut text = String::new();
            for step in &applied {
                let _ = writeln!(text, "applied {:04} {}", step.version, step.name);
            }
            text.push_str("the schema is up to date");
            show(args.output, &text, &json!({"applied": steps.collect::<Vec<_>>()}));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn show(output: Output, text: &str, object: &Value) {
    match output {
        Output::Text => out(text.trim_end()),
        Output::Json => out(&object.to_string()),
    }
}

fn status_text(status: &Status) -> String {
    let mut text = String::new();
    for step in &status.applied {
        let newer = if status.unknown.contains(&step.version) { ", by a newer dipmo" } else { "" };
        let _ = writeln!(text, "applied {:04} {}{newer}", step.version, step.name);
    }
    for step in &status.pending {
        let _ = writeln!(text, "left    {:04} {}", step.version, step.name);
    }
    for orphan in &status.orphans {
        let _ = writeln!(text, "table {} is of no process that is declared", orphan.table);
    }
    match &status.may_run {
        Ok(()) => text.push_str("this version may run on it"),
        Err(error) => {
            let _ = write!(text, "this version may not run on it: {error}");
        }
    }
    text
}

fn status_json(status: &Status) -> Value {
    let applied = status.applied.iter().map(|it| json!({"version": it.version, "name": it.name}));
    let pending = status.pending.iter().map(|it| json!({"version": it.version, "name": it.name}));
    let orphans = status.orphans.iter().map(|it| json!({"table": it.table, "rows": it.rows}));
    json!({
        "applied": applied.collect::<Vec<_>>(),
        "pending": pending.collect::<Vec<_>>(),
        "unknown": status.unknown,
        "orphans": orphans.collect::<Vec<_>>(),
        "may_run": status.may_run.is_ok(),
        "problem": status.may_run.as_ref().err().map(ToString::to_string),
    })
}

fn plan_text(plan: &Plan) -> String {
    if plan.is_empty() {
        return "nothing is left to do".to_owned();
    }
    let mut text = String::new();
    for step in &plan.steps {
        let _ = writeln!(text, "step  {:04} {}", step.version, step.name);
    }
    for table in &plan.tables {
        let _ = writeln!(text, "table {}", table.table);
    }
    for states in &plan.states {
        let _ = writeln!(text, "states of {}: {}", states.process, states.adds.join(", "));
    }
    text
}

fn plan_json(plan: &Plan) -> Value {
    let steps = plan.steps.iter().map(|it| json!({"version": it.version, "name": it.name}));
    let tables = plan.tables.iter().map(|it| json!({"table": it.table, "sql": it.sql}));
    let states =
        plan.states.iter().map(|it| json!({"process": it.process, "adds": it.adds, "sql": it.sql}));
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "tables": tables.collect::<Vec<_>>(),
        "states": states.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_names_process_and_both_states() {
        let it: Move = "HIT.OLD=NEW".parse().unwrap();
        assert_eq!([it.process, it.from, it.to], ["HIT", "OLD", "NEW"]);
        for wrong in ["", "HIT.OLD", "OLD=NEW", "HIT.=NEW", ".OLD=NEW", "HIT.OLD="] {
            assert!(wrong.parse::<Move>().is_err(), "{wrong}");
        }
    }
}
