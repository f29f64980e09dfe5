//! Every check with one command: `cargo xtask test`.
//!
//! Nothing is skipped in silence: a service that does not start is a failure, and the tests that
//! need it fail after it.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cargo_test::{self, Build, Selection, Variables};
use crate::process::Interrupted;
use crate::report::Report;
use crate::services::{self, Clients, Release, Session};
use crate::{book, lint, mutants, workspace};

/// Longer than the longest test of `--full` takes; no test of the default run comes near.
const SILENCE: Duration = Duration::from_secs(900);

/// The suite of the stores runs on the oldest PostgreSQL that we support; of the newest, every run asks for its plans, and
/// `--full` for all of the suite.
const LEFT_TO_FULL: &str = "conformance_18::";

/// Options of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run the long variants of the tests too, and then all mutations instead of the few that
    /// every run tries (unless FILTER is given).
    #[arg(long)]
    full: bool,
    /// Leave out formatting, clippy and documentation, for the inner loop.
    #[arg(long)]
    no_lint: bool,
    /// Run only tests whose name contains this.
    filter: Option<String>,
}

/// Runs `cargo xtask test`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut report = Report::new();
    match run_all(args, &mut report) {
        Err(error) if error.is::<Interrupted>() => return Err(error),
        Err(error) => report.fail("cargo xtask test", &format!("{error:#}")),
        Ok(()) => {}
    }
    Ok(report.close())
}

fn run_all(args: &Args, report: &mut Report) -> Result<()> {
    if !args.no_lint {
        lint::check(report)?;
    }
    // Dropped at the end of this function, which takes down what it started.
    let session = Session::open()?;
    let mut variables = services(&session, report)?;
    if args.full {
        variables.push(("DIPMO_TEST_FULL", "1".to_owned()));
    }
    tests(args, &variables, report)?;
    if args.filter.is_none() {
        if args.full {
            book::check(report)?;
            mutants::check_all(report, &variables)?;
        } else {
            mutants::check_some(report, &variables)?;
        }
    }
    report.now("taking services down");
    Ok(())
}

/// The addresses of the servers that tests need; one that does not start counts as a failure.
pub(crate) fn services(session: &Session, report: &mut Report) -> Result<Variables> {
    let mut variables = Vec::new();
    for release in [Release::Installed, Release::Eighteen] {
        let url = start(release.service(), report, || session.postgres(release))?;
        variables.extend(url.map(|url| (release.variable(), url)));
    }
    if let Some(servers) = start(services::KAFKA, report, || session.kafka())? {
        variables.push((services::KAFKA_VARIABLE, servers));
        variables.extend(session.kafka_state().map(|path| (services::KAFKA_STATE_VARIABLE, path)));
    }
    for clients in Clients::OF_TESTS {
        let there = start(clients.name(), report, || session.clients(clients))?;
        variables.extend(there.map(|there| (clients.variable(), there)));
    }
    let previous = start(services::PREVIOUS, report, || session.previous())?;
    variables.extend(previous.map(|there| (services::PREVIOUS_VARIABLE, there)));
    Ok(variables)
}

/// The address of one service, if it starts.
fn start(
    service: &str,
    report: &mut Report,
    ensure: impl FnOnce() -> Result<String>,
) -> Result<Option<String>> {
    let name = format!("services up: {service}");
    report.now(&name);
    let started = Instant::now();
    let outcome = ensure();
    report.time(&name, started.elapsed());
    match outcome {
        Ok(address) => Ok(Some(address)),
        Err(error) if error.is::<Interrupted>() => Err(error),
        Err(error) => {
            report.fail(&name, &format!("{error:#}"));
            Ok(None)
        }
    }
}

fn tests(args: &Args, variables: &Variables, report: &mut Report) -> Result<()> {
    let root = workspace::root()?;
    let (packages, filter) = (&["--workspace"], args.filter.as_deref());
    // Whoever names tests wants them.
    let skip = (!args.full && filter.is_none()).then_some(LEFT_TO_FULL);
    let selection = Selection { folder: &root, packages, filter, skip, silence: SILENCE };
    report.now("building the tests");
    let started = Instant::now();
    let packages = match cargo_test::build(selection, variables)? {
        Build::Ready(packages) => packages,
        Build::Broken(output) => {
            report.fail("cargo test --no-run", &output);
            return Ok(());
        }
    };
    report.time("building the tests", started.elapsed());
    if let Some(skip) = skip {
        report.line(&format!("left to --full: {skip}*"));
    }
    let tally =
        cargo_test::run(selection, packages, variables, |event| cargo_test::show(report, event))?;
    if let Some(filter) = filter
        && tally.is_empty()
    {
        report.fail("cargo test", &format!("no test has a name that contains {filter}"));
    }
    Ok(())
}
