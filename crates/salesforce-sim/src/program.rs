//! The simulator as a program: what it is asked on the command line, and how it ends.
//!
//! In the library, so that a test which needs a process of its own is the same program.

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::{Credentials, Options, STANDARD_SCHEMA, SchemaSource, Simulator};

const EXAMPLES: &str = "\
Examples:
  salesforce-sim                                  any free port, the standard objects
  salesforce-sim --port 8080 --schema crm.yaml    a fixed port, an org of your own
  salesforce-sim --print-schema > crm.yaml        something to begin with

When it listens, it prints one line of JSON and serves until SIGTERM or SIGINT:
  {\"clientId\":\"…\",\"clientSecret\":\"…\",\"pid\":4711,\"port\":40123,\"url\":\"http://127.0.0.1:40123\"}";

/// A Salesforce for tests.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// The port to listen at; 0 is any that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The address to listen at; the default is reached from this machine alone
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// A YAML file with the rules of the org, added to the standard objects
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// What shuffled results, latencies and tokens depend on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the standard schema and end
    #[arg(long)]
    print_schema: bool,
}

/// Does what the words of a command line ask for, its own name first, and writes to `out` what a
/// program prints.
pub fn run(words: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> ExitCode {
    match does(Arguments::parse_from(words), out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            let _ = writeln!(io::stderr(), "salesforce-sim: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn does(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    if arguments.print_schema {
        return Ok(out.write_all(STANDARD_SCHEMA.as_bytes())?);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(arguments, out))
}

async fn serve(
    arguments: Arguments,
    out: &mut dyn Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let Arguments { port, host, schema, seed, .. } = arguments;
    let schema = schema.map_or(SchemaSource::Standard, SchemaSource::File);
    // Before the line is printed: whoever reads it may send a signal at once.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let simulator = Simulator::start(Options { host, port, schema, seed }).await?;
    announce(&simulator, out)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    simulator.stop().await;
    Ok(())
}

/// One line, for whoever started the program.
fn announce(simulator: &Simulator, out: &mut dyn Write) -> io::Result<()> {
    let mut line = json!({
        "url": simulator.url(),
        "port": simulator.port(),
        "pid": std::process::id(),
    });
    if let Some(Credentials { client_id, client_secret, .. }) = simulator.credentials() {
        line["clientId"] = json!(client_id);
        line["clientSecret"] = json!(client_secret);
    }
    writeln!(out, "{line}")?;
    out.flush()
}
