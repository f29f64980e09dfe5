//! The checks that need no test: `cargo xtask lint`.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::report::Report;
use crate::{cargo, process, tools, workspace};

/// Options of `cargo xtask lint`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also check licences, sources and bans of the dependencies with cargo-deny, which is
    /// installed under target/tools if it is missing.
    #[arg(long)]
    full: bool,
}

/// One lint, and the toolchain component that it needs.
struct Step {
    arguments: &'static [&'static str],
    component: Option<&'static str>,
}

const STEPS: &[Step] = &[
    Step { arguments: &["fmt", "--all", "--check"], component: Some("rustfmt") },
    Step {
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        component: Some("clippy"),
    },
    Step { arguments: &["doc", "--workspace", "--no-deps"], component: None },
];

/// What checks the dependencies.
const DENY: tools::Tool = tools::Tool { name: "cargo-deny", version: None, arguments: &[] };

/// Runs `cargo xtask lint`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut report = Report::new();
    check(&mut report)?;
    if args.full {
        deny(&mut report)?;
    }
    Ok(report.close())
}

/// Runs the three lints; each counts as one, passed or failed.
pub(crate) fn check(report: &mut Report) -> Result<()> {
    let root = workspace::root()?;
    for step in STEPS {
        let mut command = cargo::shown(&root, step.arguments);
        command.env("RUSTDOCFLAGS", "-D warnings");
        let name = format!("cargo {}", step.arguments.join(" "));
        let passed = check_one(report, &name, command)?;
        if let (false, Some(component)) = (passed, step.component)
            && !is_available(&root, step.arguments[0])?
        {
            report.line(&format!("{component} is missing. Type: rustup component add {component}"));
        }
    }
    Ok(())
}

/// Checks what the dependencies are allowed to be: deny.toml.
fn deny(report: &mut Report) -> Result<()> {
    let root = workspace::root()?;
    let mut command = Command::new(tools::ensure(&DENY, |line| report.line(line))?);
    command.current_dir(&root).args(["check", "bans", "licenses", "sources"]);
    check_one(report, "cargo deny check bans licenses sources", command)?;
    Ok(())
}

fn check_one(report: &mut Report, name: &str, command: Command) -> Result<bool> {
    report.now(name);
    let (ended, output) = process::output(command)?;
    if !ended.success {
        report.line(output.trim_end());
    }
    report.check(name, ended.took, ended.success);
    Ok(ended.success)
}

fn is_available(root: &Path, subcommand: &str) -> Result<bool> {
    let (ended, _) = process::output(cargo::command(root, &[subcommand, "--version"]))?;
    Ok(ended.success)
}
