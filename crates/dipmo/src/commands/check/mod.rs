//! `dipmo check`: all that can be wrong with a configuration, said before it runs.

mod connect;
mod diagrams;
mod dry_run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use dipmo::wiring::Pipeline;
use dipmo_config::problem::codes;
use dipmo_config::{Config, Files, Loaded, Problems, ProcessEnvironment, References, Severity};

use super::files::{ConfigArgs, say};
use crate::COULD_NOT_RUN;
use crate::console::out;
use crate::output::{Output, OutputArgs};

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo check                              what is wrong with dipmo.yaml
  dipmo check --overlay prod.yaml          with what an environment changes
  dipmo check --without-secrets            where secrets are not at hand, such as in a build
  dipmo check --connect                    also asks Kafka, the database and Salesforce; changes nothing
  dipmo check --diagram                    each process as Mermaid
  dipmo check --dry-run events.ndjson      what each record would do; touches nothing
  dipmo check --output json                for a script: each problem with code, file, line and column

A record of a dry run is a line: {\"topic\": \"orders\", \"key\": \"O-1\", \"headers\": {}, \"value\": {}}

Exit codes:
  0  nothing is wrong; warnings count as nothing
  1  something is wrong
  2  a file cannot be read";

/// What to look at.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: ConfigArgs,
    /// Also ask Kafka, the database and Salesforce whether they are as the configuration says.
    #[arg(long, conflicts_with_all = ["diagram", "dry_run", "without_secrets"])]
    connect: bool,
    /// Print each process as a diagram in Mermaid.
    #[arg(long, conflicts_with = "dry_run")]
    diagram: bool,
    /// Show what the records of a file would do, one after the other.
    #[arg(long, value_name = "FILE")]
    dry_run: Option<PathBuf>,
    /// Leave what comes from outside of the file unread.
    #[arg(long)]
    without_secrets: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Looks, and says what it found.
pub(crate) async fn run(args: &Args) -> Result<ExitCode> {
    // Who only looks at processes needs no secrets.
    let keeps = args.without_secrets || args.diagram || args.dry_run.is_some();
    let references =
        if keeps { References::Keep } else { References::Resolve(&ProcessEnvironment) };
    let overlays: Vec<&Path> = args.files.overlay.iter().map(PathBuf::as_path).collect();
    let loaded = match Config::load(&args.files.config, &overlays, references) {
        Ok(loaded) => loaded,
        Err(rejected) => return Ok(said(args, &rejected.problems, &rejected.files, &[])),
    };
    if args.diagram {
        return Ok(diagrams::print(args, &loaded));
    }
    if let Some(records) = &args.dry_run {
        return dry_run::run(args, &loaded, records);
    }
    if keeps {
        return Ok(said(args, &loaded.check().problems, &loaded.files, &[&loaded.config]));
    }
    match Pipeline::assemble(&loaded) {
        Err(problems) => Ok(said(args, &problems, &loaded.files, &[])),
        Ok(pipeline) if args.connect => connect::ask(args, &pipeline).await,
        Ok(pipeline) => Ok(said(args, pipeline.warnings(), pipeline.files(), &[&loaded.config])),
    }
}

/// Says what is wrong, or that nothing is; answers how to end.
fn said(args: &Args, problems: &Problems, files: &Files, right: &[&Config]) -> ExitCode {
    let output = args.output.format;
    say(output, problems, files);
    if output == Output::Text {
        right.iter().for_each(|config| out(&summary(args, config, problems)));
    }
    code(problems)
}

/// How to end with these problems.
fn code(problems: &Problems) -> ExitCode {
    let is_unreadable = problems.iter().any(|problem| problem.code == codes::FILE_UNREADABLE);
    match problems.any_error() {
        true if is_unreadable => ExitCode::from(COULD_NOT_RUN),
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

/// What was looked at and found right.
fn summary(args: &Args, config: &Config, problems: &Problems) -> String {
    let count = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let warnings = problems.iter().filter(|it| it.severity == Severity::Warning).count();
    let cases = config.processes.iter().flat_map(|(_, process)| process.on.iter());
    let cases = cases.map(|(_, cases)| cases.len()).sum();
    let parts = [
        count(config.sources.iter().len(), "source", "sources"),
        count(config.tables.iter().len(), "table", "tables"),
        count(config.processes.iter().len(), "process", "processes"),
        count(cases, "case", "cases"),
    ];
    let mut text = format!("{} is right: {}", args.files.config.display(), parts.join(", "));
    if warnings > 0 {
        text.push_str(&format!("; {}", count(warnings, "warning", "warnings")));
    }
    text
}

/// Everything that is wrong with the processes alone; else what is right.
fn judged(args: &Args, loaded: &Loaded) -> Result<dipmo_config::Declared, ExitCode> {
    let checked = loaded.check();
    if checked.problems.any_error() {
        return Err(said(args, &checked.problems, &loaded.files, &[]));
    }
    Ok(checked.declared)
}
