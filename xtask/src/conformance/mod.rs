//! Proof by clients that we did not write: `cargo xtask conformance`.
//!
//! The operations are the tests in `crates/salesforce-sim/tests/foreign`, a module for each client.
//! `cargo xtask test` runs those of the light clients; this command runs them all.

mod table;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::cargo_test::{self, Build, Event, Outcome, Selection};
use crate::report::Report;
use crate::services::{Clients, Session};
use crate::workspace;
use table::Table;

/// The tests, those that the test command leaves out too.
const TESTS: &[&str] = &["-p", "salesforce-sim", "--test", "foreign", "--", "--include-ignored"];

/// Longer than the slowest operation of the slowest client.
const SILENCE: Duration = Duration::from_secs(300);

/// Options of `cargo xtask conformance`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Let this client alone use the simulator.
    #[arg(long, value_enum)]
    only: Option<Client>,
}

/// A client of Salesforce that others wrote.
#[derive(Clone, Copy, ValueEnum)]
enum Client {
    /// The one that most programs in JavaScript have.
    Jsforce,
    /// The one that most programs in Python have.
    SimpleSalesforce,
    /// The official command line; its installation takes a minute, once.
    Sf,
}

impl Client {
    /// The beginning of the names of its tests.
    fn module(self) -> &'static str {
        match self {
            Self::Jsforce => "jsforce::",
            Self::SimpleSalesforce => "simple_salesforce::",
            Self::Sf => "sf::",
        }
    }

    fn needs(self) -> &'static [Clients] {
        match self {
            Self::Jsforce => &[Clients::Jsforce],
            Self::SimpleSalesforce => &[Clients::Python],
            Self::Sf => &[Clients::Jsforce, Clients::Sf],
        }
    }
}

/// Runs `cargo xtask conformance`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let session = Session::open()?;
    let all = &[Clients::Python, Clients::Jsforce, Clients::Sf];
    let mut variables = Vec::new();
    for clients in args.only.map_or(&all[..], Client::needs) {
        variables.push((clients.variable(), session.clients(*clients)?));
    }
    let mut report = Report::new();
    let selection = Selection {
        folder: &workspace::root()?,
        packages: TESTS,
        filter: args.only.map(Client::module),
        skip: None,
        silence: SILENCE,
    };
    report.now("building salesforce-sim");
    let programs = match cargo_test::build(selection, &variables)? {
        Build::Ready(programs) => programs,
        Build::Broken(output) => bail!("salesforce-sim does not build:\n{output}"),
    };
    let mut table = Table::default();
    cargo_test::run(selection, programs, &variables, |event| {
        if let Event::Tested { name, outcome } = event {
            table.add(name, *outcome == Outcome::Passed);
        }
        cargo_test::show(&mut report, event);
    })?;
    report.line(&format!("\n{table}"));
    Ok(report.close())
}
