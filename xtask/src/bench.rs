//! Measuring: `cargo xtask bench`.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::services::{self, Clients, Durability, Session};
use crate::{cargo, process, workspace};

/// The suites of the package `dipmo-bench`.
const SUITES: &[&str] = &["core", KAFKA, "http", SALESFORCE, SERVICE, "operate"];

/// The suites that need a Kafka cluster as well.
const KAFKA: &str = "kafka";
const SERVICE: &str = "service";

/// The suite that compares itself with jsforce.
const SALESFORCE: &str = "salesforce";

/// Options of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The suite to run.
    #[arg(default_value = "core")]
    suite: String,
    /// Options of the suite, such as `-- --rounds 1`; `-- --help` lists them.
    #[arg(last = true)]
    options: Vec<String>,
}

/// Runs `cargo xtask bench`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let suite = args.suite.as_str();
    if !SUITES.contains(&suite) {
        bail!("there is no suite {suite}; the suites are: {}", SUITES.join(", "));
    }
    let session = Session::open()?;
    let (url, durability) = services::durable(&session)?;
    if matches!(durability, Durability::Unknown) {
        println!("measuring on the server of DIPMO_TEST_POSTGRES: its durability is not known");
    }
    let kafka = if [KAFKA, SERVICE].contains(&suite) { Some(session.kafka()?) } else { None };
    let jsforce = if suite == SALESFORCE { Some(session.clients(Clients::Jsforce)?) } else { None };
    let root = workspace::root()?;
    // The suite `service` runs the shipped program.
    let mut build = vec!["build", "--release", "-p", "dipmo-bench"];
    build.extend((suite == SERVICE).then_some(["-p", "dipmo"]).into_iter().flatten());
    if !process::pass_through(cargo::shown(&root, &build))?.success() {
        bail!("dipmo-bench does not build");
    }
    // Quiet, because cargo would print the address with its password.
    let run = ["run", "--quiet", "--release", "-p", "dipmo-bench", "--"];
    let mut command = cargo::shown(&root, &run);
    command.args([suite, "--postgres", &url]);
    if let Some(servers) = &kafka {
        command.args(["--kafka", servers]);
    }
    if let Some(folder) = &jsforce {
        command.args(["--jsforce", folder]);
    }
    command.args(&args.options);
    let status = process::pass_through(command)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
