//! `dipmo migrate`: what a database lacks, shown or made.

mod help;

use std::fmt::Write as _;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Subcommand;
use dipmo::wiring::Pipeline;
use dipmo_domain::StoreError;
use dipmo_store::migration::Applied;
use dipmo_store::schema::{Plan, Status};
use dipmo_store::{StateMapping, Store};
use serde_json::{Value, json};

use super::files::{ConfigArgs, refuse_one, show};
use crate::output::OutputArgs;

pub(crate) use help::EXAMPLES;

/// How long a database that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What to do, and with which files.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Show what was applied, and whether this version may run.
    #[command(after_help = help::STATUS)]
    Status,
    /// Show what apply would do.
    #[command(after_help = help::PLAN)]
    Plan,
    /// Print all SQL that makes an empty database one that this configuration runs on.
    #[command(after_help = help::PRINT)]
    Print,
    /// Bring the schema up to date.
    #[command(after_help = help::APPLY)]
    Apply(Apply),
}

#[derive(clap::Args)]
struct Apply {
    /// Where instances go on whose state is gone: PROCESS.OLD=NEW. May be repeated.
    #[arg(long, value_name = "PROCESS.OLD=NEW")]
    map: Vec<Move>,
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
    let output = args.output.format;
    let pipeline = match args.files.assemble(output) {
        Ok(pipeline) => pipeline,
        Err(code) => return Ok(code),
    };
    show(pipeline.warnings(), pipeline.files());
    if matches!(args.what, Some(What::Print)) {
        output.print(|| pipeline.script(), || json!({ "sql": pipeline.script() }));
        return Ok(ExitCode::SUCCESS);
    }
    if !pipeline.has_store() {
        let text = "there is no database: this file has only legs, which need none";
        output.print(|| text.to_owned(), || json!({ "store": Value::Null }));
        return Ok(ExitCode::SUCCESS);
    }
    let store: Arc<dyn Store> = match pipeline.open_as_it_is(PATIENCE).await {
        Ok(store) => store,
        Err(problem) => return Ok(refuse_one(output, problem, pipeline.files())),
    };
    match done(args, &pipeline, &store).await {
        Ok(code) => Ok(code),
        Err(error) => Ok(refuse_one(output, pipeline.about_store(&error), pipeline.files())),
    }
}

async fn done(
    args: &Args,
    pipeline: &Pipeline,
    store: &Arc<dyn Store>,
) -> Result<ExitCode, StoreError> {
    let (output, tables) = (args.output.format, pipeline.tables());
    match &args.what {
        // Printing is over before anybody is asked.
        None | Some(What::Status | What::Print) => {
            let (status, plan) = (store.status(tables).await?, store.plan(tables).await?);
            output.print(|| status_text(&status, &plan), || status_json(&status, &plan));
            let is_done = status.may_run.is_ok() && plan.is_empty();
            Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some(What::Plan) => {
            let plan = store.plan(tables).await?;
            output.print(|| plan_text(&plan), || plan_json(&plan));
            Ok(if plan.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some(What::Apply(Apply { map })) => {
            let mapping = map.iter().fold(StateMapping::default(), |mapping, it| {
                mapping.and(&it.process, &it.from, &it.to)
            });
            let applied = store.migrate_mapping(tables, &mapping).await?;
            output.print(|| applied_text(&applied), || json!({ "applied": steps(&applied) }));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn applied_text(applied: &[Applied]) -> String {
    let mut text = String::new();
    for step in applied {
        let _ = writeln!(text, "applied {:04} {}", step.version, step.name);
    }
    text + "the schema is up to date"
}

fn steps(applied: &[Applied]) -> Vec<Value> {
    applied.iter().map(|it| json!({"version": it.version, "name": it.name})).collect()
}

fn status_text(status: &Status, plan: &Plan) -> String {
    let mut text = String::new();
    for step in &status.applied {
        let newer = if status.unknown.contains(&step.version) { ", by a newer dipmo" } else { "" };
        let _ = writeln!(text, "applied {:04} {}{newer}", step.version, step.name);
    }
    for step in &status.pending {
        let _ = writeln!(text, "left    {:04} {}", step.version, step.name);
    }
    for table in &plan.tables {
        let _ = writeln!(text, "left    table {}", table.table);
    }
    for states in &plan.states {
        let _ = writeln!(text, "left    states of {}: {}", states.process, states.adds.join(", "));
    }
    for orphan in &status.orphans {
        let _ = writeln!(text, "table {} is of no process that is declared", orphan.table);
    }
    match &status.may_run {
        Ok(()) if plan.is_empty() => text.push_str("this version may run on it"),
        Ok(()) => text.push_str("this version may run on it, once that is applied"),
        Err(error) => {
            let _ = write!(text, "this version may not run on it: {error}");
        }
    }
    text
}

fn status_json(status: &Status, plan: &Plan) -> Value {
    let pending = status.pending.iter().map(|it| json!({"version": it.version, "name": it.name}));
    let orphans = status.orphans.iter().map(|it| json!({"table": it.table, "rows": it.rows}));
    json!({
        "applied": steps(&status.applied),
        "pending": pending.collect::<Vec<_>>(),
        "unknown": status.unknown,
        "orphans": orphans.collect::<Vec<_>>(),
        "plan": plan_json(plan),
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
