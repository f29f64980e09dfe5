//! The book: `cargo xtask docs` makes pages of `docs/` that a browser shows.

mod links;
mod stage;
mod summary;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::report::Report;
use crate::{process, tools, workspace};

/// What makes the book.
const MDBOOK: tools::Tool = tools::Tool {
    name: "mdbook",
    version: Some("0.5.4"),
    // Without a server of its own and what watches files: half of what it would be built of.
    arguments: &["--no-default-features", "--features", "search"],
};

/// Options of `cargo xtask docs`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Open it in a browser.
    #[arg(long)]
    open: bool,
}

/// Runs `cargo xtask docs`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let (mut command, book) = making(|line| println!("{line}"))?;
    if args.open {
        command.arg("--open");
    }
    if !process::pass_through(command)?.success() {
        bail!("mdbook could not make the book");
    }
    println!("the book is {}", workspace::shown(&book.join("index.html")));
    Ok(ExitCode::SUCCESS)
}

/// Makes it once more, as one check among others.
pub(crate) fn check(report: &mut Report) -> Result<()> {
    let name = "cargo xtask docs";
    report.now(name);
    let (command, _) = making(|line| report.line(line))?;
    let (ended, output) = process::output(command)?;
    if !ended.success {
        report.line(output.trim_end());
    }
    report.check(name, ended.took, ended.success);
    Ok(())
}

/// What makes it, and where.
fn making(tell: impl Fn(&str)) -> Result<(Command, PathBuf)> {
    let program = tools::ensure(&MDBOOK, tell)?;
    let (sources, book) = (emptied("book-sources")?, emptied("book")?);
    stage::write(&workspace::root()?, &sources)?;
    let mut command = Command::new(program);
    command.arg("build").arg(&sources).arg("--dest-dir").arg(&book);
    Ok((command, book))
}

/// A folder of `target` with nothing in it.
fn emptied(name: &str) -> Result<PathBuf> {
    let folder = workspace::target_folder(name)?;
    std::fs::remove_dir_all(&folder)
        .with_context(|| format!("cannot empty {}", workspace::shown(&folder)))?;
    workspace::target_folder(name)
}
