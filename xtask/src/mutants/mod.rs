//! Do the tests notice when a guard is gone? `cargo xtask mutants`.
//!
//! Each mutation removes one guard from a copy of the sources and expects a test to fail. A
//! mutation that does not compile, or whose tests fail or match nothing without it, proves
//! nothing and is an error.

mod list;
mod tree;

use std::collections::btree_map::{BTreeMap, Entry};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::cargo_test::{self, Build, Selection, Variables};
use crate::lock::Lock;
use crate::report::{Report, Tally};
use crate::services::Session;
use crate::{test_run, workspace};
use list::Mutation;
use tree::Tree;

/// The package whose tests need no services.
const SIMULATION: &str = "dipmo-sim";

/// Tests that run longer have been made to hang, which a person would notice too.
const PATIENCE: Duration = Duration::from_secs(300);

/// Options of `cargo xtask mutants`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this mutation only.
    name: Option<String>,
    /// Run only those that the tests of this package must find.
    #[arg(long)]
    package: Option<String>,
}

enum Verdict {
    Caught,
    /// The tests passed without the guard.
    Survived,
    /// The mutation proves nothing, and why.
    Broken(String),
}

/// Runs `cargo xtask mutants`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mutations = chosen(list::load(&workspace::root()?)?, args)?;
    let mut report = Report::new();
    let session = Session::open()?;
    // What only runs on the store in memory does not wait for servers.
    let needs_services = mutations.iter().any(|mutation| mutation.package != SIMULATION);
    let variables =
        if needs_services { test_run::services(&session, &mut report)? } else { Vec::new() };
    if report.tally().failed == 0 {
        check(&mutations, &mut report, &variables)?;
    }
    drop(session);
    let Tally { passed, failed, .. } = report.tally();
    drop(report);
    println!("\n{passed} passed, {failed} failed");
    Ok(Tally { passed, failed, skipped: 0 }.exit_code())
}

/// Runs every mutation; one that is caught counts as passed.
pub(crate) fn check_all(report: &mut Report, variables: &Variables) -> Result<()> {
    check(&list::load(&workspace::root()?)?, report, variables)
}

/// Runs those that belong to every run, which takes a minute or two.
pub(crate) fn check_some(report: &mut Report, variables: &Variables) -> Result<()> {
    let mut mutations = list::load(&workspace::root()?)?;
    mutations.retain(|mutation| mutation.every_run);
    check(&mutations, report, variables)
}

fn chosen(mutations: Vec<Mutation>, args: &Args) -> Result<Vec<Mutation>> {
    let names: Vec<String> = mutations.iter().map(|mutation| mutation.name.clone()).collect();
    let is_chosen = |mutation: &Mutation| {
        args.name.as_ref().is_none_or(|name| *name == mutation.name)
            && args.package.as_ref().is_none_or(|package| *package == mutation.package)
    };
    let found: Vec<_> = mutations.into_iter().filter(is_chosen).collect();
    if found.is_empty() {
        bail!("there is no such mutation; there are: {}", names.join(", "));
    }
    Ok(found)
}

fn check(mutations: &[Mutation], report: &mut Report, variables: &Variables) -> Result<()> {
    let folder = workspace::target_folder("mutants")?;
    let _alone = Lock::exclusive(&folder.join("lock"))?;
    report.now("copying the sources");
    let tree = Tree::copy(&workspace::root()?, workspace::target_folder("mutants/tree")?)?;
    let mut variables = variables.clone();
    // One folder for all: only what a mutation touches is built again.
    variables.push(("CARGO_TARGET_DIR", folder.join("target").display().to_string()));
    let mut baselines = BTreeMap::new();
    for mutation in mutations {
        let key = (mutation.package.as_str(), mutation.test.as_deref());
        let baseline = match baselines.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                report.now(&format!("{} without a mutation", mutation.package));
                unknown.insert(baseline(&tree, mutation, &variables)?)
            }
        };
        report.now(&format!("mutation {}", mutation.name));
        let started = Instant::now();
        let verdict = match baseline {
            Some(reason) => Verdict::Broken(reason.clone()),
            None => try_one(&tree, mutation, &variables)?,
        };
        show(report, mutation, &verdict, started.elapsed());
    }
    Ok(())
}

/// Why the tests of `mutation` cannot judge it, if so: they must pass without it.
fn baseline(tree: &Tree, mutation: &Mutation, variables: &Variables) -> Result<Option<String>> {
    Ok(match test(tree, mutation, variables)? {
        Err(output) => Some(format!("the tests do not build without it:\n{output}")),
        Ok(tally) if tally.failed > 0 => Some("its tests fail without it too".to_owned()),
        Ok(tally) if tally.passed == 0 => Some("no test matches it".to_owned()),
        Ok(_) => None,
    })
}

fn try_one(tree: &Tree, mutation: &Mutation, variables: &Variables) -> Result<Verdict> {
    let _mutated = match tree.mutate(mutation) {
        Ok(mutated) => mutated,
        Err(error) => return Ok(Verdict::Broken(format!("{error:#}"))),
    };
    Ok(match test(tree, mutation, variables)? {
        Err(output) => Verdict::Broken(format!("it does not compile:\n{output}")),
        Ok(tally) if tally.failed > 0 => Verdict::Caught,
        Ok(_) => Verdict::Survived,
    })
}

/// Counts the tests of `mutation`; the inner error is what the compiler said.
fn test(tree: &Tree, mutation: &Mutation, variables: &Variables) -> Result<Result<Tally, String>> {
    let selection = Selection {
        folder: tree.folder(),
        packages: &["-p", &mutation.package],
        filter: mutation.test.as_deref(),
        skip: None,
        silence: PATIENCE,
    };
    match cargo_test::build(selection, variables)? {
        Build::Broken(output) => Ok(Err(output)),
        Build::Ready(packages) => cargo_test::run(selection, packages, variables, |_| {}).map(Ok),
    }
}

fn show(report: &mut Report, mutation: &Mutation, verdict: &Verdict, took: Duration) {
    let Mutation { name, guard, .. } = mutation;
    let (mark, passed) = match verdict {
        Verdict::Caught => ("caught  ", true),
        Verdict::Survived => ("SURVIVED", false),
        Verdict::Broken(_) => ("ERROR   ", false),
    };
    report.line(&format!("{mark}  {:>6.1} s  {name:<32}  {guard}", took.as_secs_f64()));
    if let Verdict::Broken(reason) = verdict {
        report.line(reason);
    }
    report.tally_up(&format!("mutation {name}"), took, Tally::one(passed));
}
