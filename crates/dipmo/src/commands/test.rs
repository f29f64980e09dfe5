//! `dipmo test`: cases in YAML, given, when and then, for the processes of a configuration.

mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use dipmo_config::cases::{Report, Suite};
use dipmo_config::{Config, Declared, Files, Problems, References};

use super::files::{ConfigArgs, refuse};
use crate::console::has_colour;
use crate::output::OutputArgs;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo test                                    the cases in cases.yaml beside dipmo.yaml
  dipmo test happy.yaml sad.yaml                those of some files
  dipmo test --name overdue                     those with a word in their name
  dipmo test --output json | jq .failed         for a script

Nothing is connected to: no database, no Kafka, no Salesforce, and no secret is read.

Exit codes:
  0  all is as expected
  1  something is not
  2  the cases could not be run";

/// Which cases to run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files of cases. Defaults to cases.yaml beside the configuration.
    #[arg(value_name = "FILE")]
    cases: Vec<PathBuf>,
    #[command(flatten)]
    files: ConfigArgs,
    /// Run only the cases that have this text in their name.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the cases and tells what came of them.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let (ran, files) = match tried(args) {
        Ok(tried) => tried,
        Err(wrong) => {
            return Ok(refuse(args.output.format, &wrong.problems, &wrong.files));
        }
    };
    let Some(report) = ran else {
        bail!("no case has {:?} in its name", args.name.as_deref().unwrap_or_default());
    };
    args.output.format.print(
        || show::report(&report, &files, args.name.is_none(), has_colour()),
        || report.to_json(&files),
    );
    Ok(if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is wrong with the files.
struct Wrong {
    problems: Problems,
    files: Files,
}

/// Reads and runs; no report when no case has the name.
fn tried(args: &Args) -> Result<(Option<Report>, Files), Box<Wrong>> {
    let ConfigArgs { config, overlay } = &args.files;
    let overlays: Vec<&Path> = overlay.iter().map(PathBuf::as_path).collect();
    let loaded = Config::load(config, &overlays, References::Keep).map_err(|rejected| {
        Box::new(Wrong { problems: rejected.problems, files: rejected.files })
    })?;
    let (mut files, mut problems) = (loaded.files, Problems::default());
    let declared = Declared::of(&loaded.config, &files, &mut problems);
    let beside = config.with_file_name("cases.yaml");
    let paths: Vec<&Path> = match &args.cases[..] {
        [] => vec![&beside],
        cases => cases.iter().map(PathBuf::as_path).collect(),
    };
    let suite = Suite::load(&paths, &mut files, &mut problems);
    // Warnings are for `dipmo check`.
    if problems.any_error() {
        return Err(Box::new(Wrong { problems, files }));
    }
    let suite = match &args.name {
        Some(name) => suite.named(name),
        None => suite,
    };
    if suite.0.is_empty() {
        return Ok((None, files));
    }
    match suite.run(&loaded.config, &declared, &mut problems) {
        Some(report) => Ok((Some(report), files)),
        None => Err(Box::new(Wrong { problems, files })),
    }
}
