//! The suite `service`: the shipped program as a service, and processes that are declared in a file.

mod decide;
mod declared;
mod program;
mod soak;
mod start;

use std::sync::Arc;

use anyhow::Result;
use dipmo_api::Registry;

use crate::core::at_once;
use crate::database::with_database;
use crate::load::Load;
use crate::process::{self, Topics};
use crate::report::{Of, Ratio, Row, median};

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench service
  cargo xtask bench service -- --rounds 1 --messages 20000 --only declared
  cargo xtask bench service -- --only soak --seconds 60";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// The broker.
    #[arg(long, value_name = "HOST:PORT")]
    kafka: String,
    /// How often everything but the soak is measured; each figure is the median.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many messages go through in a round.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    messages: u32,
    /// For how many seconds the pipeline runs at half of its top speed.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(20..))]
    seconds: u32,
    /// Measure a part only.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the suite.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// A process that is declared in a file, next to the same in Rust.
    Declared,
    /// The size of the program, and how long it takes to be ready.
    Start,
    /// Ten minutes at half of the top speed.
    Soak,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    let wants = |part| args.only.is_none_or(|only| only == part);
    let mut rows = Vec::new();
    if wants(Part::Declared) {
        rows.extend(declared_and_rust(args).await?);
    }
    if wants(Part::Start) {
        rows.extend(start::run(&args.kafka, args.rounds).await?);
    }
    if wants(Part::Soak) {
        let plan = soak::Plan { messages: args.messages, seconds: args.seconds };
        rows.extend(soak::run(&args.postgres, &args.kafka, plan).await?);
    }
    Ok(rows)
}

/// Both go through the whole core, in turns on databases of their own; beside that, what a decision alone
/// takes. Before anything is measured both must decide alike.
async fn declared_and_rust(args: &Args) -> Result<Vec<Row>> {
    let load = Load::new(args.messages);
    let (rust, declared) = (process::registry(Topics::default())?, declared::registry()?);
    decide::must_agree(&rust, &declared, &load)?;
    let (mut rates, mut ratios) = (Vec::new(), Vec::new());
    for number in 1..=args.rounds {
        // Whoever comes second finds a warmer machine, so they take turns.
        let is_even = number % 2 == 0;
        let (mut one, mut other) = (&rust, &declared);
        if is_even {
            std::mem::swap(&mut one, &mut other);
        }
        let first = rate(args, one, &load).await?;
        let second = rate(args, other, &load).await?;
        let (in_rust, in_yaml) = if is_even { (second, first) } else { (first, second) };
        eprintln!("round {number} of {}: Rust {in_rust:.0}/s, YAML {in_yaml:.0}/s", args.rounds);
        rates.push(in_yaml);
        ratios.push(in_yaml / in_rust);
    }
    let ratio = Ratio::of(&ratios);
    Ok(vec![
        Row::rate("service.declared_vs_rust", median(&rates), ratio, Of::Rust),
        Row::plain("service.decide_ns", decide::nanoseconds(&declared, &load)?, "ns"),
        Row::plain("service.decide_ns_rust", decide::nanoseconds(&rust, &load)?, "ns"),
    ])
}

/// Messages a second, from the first one stored to the last one delivered.
async fn rate(args: &Args, registry: &Arc<Registry>, load: &Load) -> Result<f64> {
    let registry = || Arc::clone(registry);
    let measure = async |database: &_| at_once(database, registry(), load).await;
    let (time, _) = with_database(&args.postgres, measure).await?;
    Ok(f64::from(load.count()) / time.as_secs_f64())
}
