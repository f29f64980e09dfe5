//! `dipmo schema`: the JSON Schema of a file, as this program reads it.

use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;

use crate::console::out;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo schema > dipmo.schema.json              of dipmo.yaml
  dipmo schema cases > cases.schema.json        of the cases of dipmo test

An editor with a YAML language server completes and checks a file whose first line names its schema:
  # yaml-language-server: $schema=./dipmo.schema.json";

/// Which schema to print.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file that it describes.
    #[arg(value_enum, value_name = "FILE", default_value = "config")]
    file: File,
}

#[derive(Clone, Copy, ValueEnum)]
enum File {
    /// The configuration, dipmo.yaml.
    Config,
    /// Cases for dipmo test, cases.yaml.
    Cases,
}

/// Prints it, as it is published in `docs/schema`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let schema = match args.file {
        File::Config => dipmo_config::schema(),
        File::Cases => dipmo_config::cases::schema(),
    };
    out(&serde_json::to_string_pretty(&schema)?);
    Ok(ExitCode::SUCCESS)
}
