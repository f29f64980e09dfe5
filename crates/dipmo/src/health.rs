//! `dipmo health`: asks the port of a running instance; the exit code says how it is.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use dipmo::service::{DEFAULT_ADDRESS, ask};
use serde_json::Value;

use crate::output::OutputArgs;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo health                                  is it ready?
  dipmo health live                             can it go on by itself?
  dipmo health all --address 10.0.0.7:8686      everything that is to be said of another machine
  dipmo health all --output json | jq .reasons  for a script

Exit codes:
  0  it is well
  1  it is not
  2  nobody answers";

/// What to ask, and whom.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to ask for.
    #[arg(value_enum, default_value = "ready")]
    what: What,
    /// The health port of the instance.
    #[arg(long, value_name = "HOST:PORT", default_value_t = DEFAULT_ADDRESS)]
    address: SocketAddr,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Whether it can go on by itself.
    Live,
    /// Whether it does what it is there for.
    Ready,
    /// Whether it is ready, with everything that is to be said.
    All,
}

/// Prints what the instance answers.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let path = match args.what {
        What::Live => "/live",
        What::Ready => "/ready",
        What::All => "/health",
    };
    let asked = ask(args.address, path)
        .with_context(|| format!("no answer from the health port at {}", args.address))?;
    let told = serde_json::from_str::<Value>(&asked.body).ok();
    let told = told.filter(|told| [200, 503].contains(&asked.status) && told["live"].is_boolean());
    let told =
        told.with_context(|| format!("what answers at {} is no health port", args.address))?;
    args.output.format.print(|| text(args.what, &told), || told.clone());
    Ok(if asked.status == 200 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How it is, and a line for each thing that is to be said.
fn text(what: What, told: &Value) -> String {
    let word =
        |word: &str| if told[word] == true { word.to_owned() } else { format!("not {word}") };
    let mut text = match what {
        What::Live => word("live"),
        What::Ready => word("ready"),
        What::All => format!("{}, {}", word("live"), word("ready")),
    };
    for reason in told["reasons"].as_array().into_iter().flatten() {
        let part = |name: &str| reason[name].as_str().unwrap_or_default();
        let (name, effect, about) = (part("name"), part("effect"), part("about"));
        text.push_str(&format!("\n  {name} ({effect}), {about}: {}", part("text")));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn people_read_how_it_is_and_why() {
        let why = json!({"name": "store-away", "about": "store", "effect": "unready", "text": "for 12 s"});
        let told = json!({"live": true, "ready": false, "reasons": [why]});
        let line = "\n  store-away (unready), store: for 12 s";
        assert_eq!(text(What::All, &told), format!("live, not ready{line}"));
        assert_eq!(text(What::Ready, &told), format!("not ready{line}"));
        assert_eq!(text(What::Live, &json!({"live": true, "reasons": []})), "live");
    }
}
