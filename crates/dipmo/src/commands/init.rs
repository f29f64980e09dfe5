//! `dipmo init`: a pipeline to begin with, which `dipmo check` and `dipmo test` pass.

pub(crate) mod starters;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;

use crate::console::out;
use starters::Starter;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo init                                    the smallest pipeline, every line explained, in this folder
  dipmo init --example hits screening           a whole one, in a folder of its own

No file is overwritten.";

/// What to write, and where.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write to; it is made if it is not there.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// A whole example instead of the smallest pipeline.
    #[arg(long, value_enum, value_name = "NAME")]
    example: Option<Example>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Example {
    /// Families, members and blocks: from Kafka into tables, and from there to Salesforce.
    Members,
    /// Hits of a screening: many states, a timer, messages that overtake each other.
    Hits,
    /// Onboardings: a fact from the database, and an answer that is waited for.
    Onboarding,
    /// Orders: a row and a confirmation for each request, retries, dead letters.
    Orders,
}

/// Writes the files and says what to do with them.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let starter = match args.example {
        None => &starters::SMALLEST,
        Some(Example::Members) => &starters::MEMBERS,
        Some(Example::Hits) => &starters::HITS,
        Some(Example::Onboarding) => &starters::ONBOARDING,
        Some(Example::Orders) => &starters::ORDERS,
    };
    write(starter, &args.folder)?;
    out(&next(starter, &args.folder));
    Ok(ExitCode::SUCCESS)
}

/// Writes all files or, when one of them is there already, none.
fn write(starter: &Starter, folder: &Path) -> Result<()> {
    let there: Vec<String> = starter
        .files
        .iter()
        .map(|(name, _)| folder.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| path.display().to_string())
        .collect();
    if !there.is_empty() {
        bail!("nothing was written: {} would be overwritten", there.join(", "));
    }
    let cannot = |path: &Path| format!("cannot write {}", path.display());
    std::fs::create_dir_all(folder).with_context(|| cannot(folder))?;
    for (name, text) in starter.files {
        let path = folder.join(name);
        // Only if it is still not there.
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).with_context(|| cannot(&path))?;
    }
    Ok(())
}

fn next(starter: &Starter, folder: &Path) -> String {
    let width = starter.files.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let files = starter.files.iter().map(|(name, _)| {
        let about = starters::about(name);
        format!("  {name:width$}  {about}\n")
    });
    let files: String = files.collect();
    let (place, go) = if folder == Path::new(".") {
        ("this folder".to_owned(), String::new())
    } else {
        let folder = folder.display();
        (folder.to_string(), format!("  cd {folder}\n"))
    };
    format!(
        "In {place} there are now:\n{files}\nNext:\n{go}  \
         dipmo check                          what is wrong with it: nothing yet\n  \
         dipmo test                           runs the cases\n  \
         dipmo check --dry-run events.ndjson  what each event would do, touching nothing\n  \
         dipmo run                            runs it; README.md says what it needs for that"
    )
}
