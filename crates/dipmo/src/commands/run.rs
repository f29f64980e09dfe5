//! `dipmo run`: the pipeline of a configuration, until it is stopped.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use dipmo::service::logs::{self, Format};
use dipmo::service::{
    DEFAULT_ADDRESS, GRACE, Health, HealthPort, Notify, Signals, Watchdog, run_until_stopped,
};
use dipmo::wiring::{OnSchema, Pipeline, Roles, RunError};
use dipmo_domain::Coded as _;
use tokio_util::sync::CancellationToken;

use super::files::{ConfigArgs, refuse, refuse_one};
use crate::COULD_NOT_RUN;
use crate::console::err;
use crate::output::Output;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo run                                     what dipmo.yaml says, until Ctrl-C or SIGTERM
  dipmo run --overlay prod.yaml                 with what an environment says otherwise
  dipmo run --roles consume                     only reads; others process and publish
  dipmo run --roles process,publish --health 0.0.0.0:8686
  dipmo run --no-migrate                        refuses a database that is not up to date

Exit codes:
  0    it was stopped, and everything that was begun has ended
  2    it could not run, or a part of it could not go on
  3    it was stopped, and something had not ended after 9 seconds
  130  it was asked to stop twice

What had not ended is not lost: it is done again by whoever comes next.";

/// What to run, and how.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    files: ConfigArgs,
    /// What this instance does: some of consume, process and publish.
    #[arg(long, value_name = "ROLES", default_value_t)]
    roles: Roles,
    /// Where health is told: /live, /ready and /health; `off` for nowhere.
    #[arg(long, value_name = "HOST:PORT", default_value_t = HealthAt(Some(DEFAULT_ADDRESS)))]
    health: HealthAt,
    /// How log lines look: pretty or json. Pretty on a terminal, else json.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    log_format: Option<Format>,
    /// What is logged, such as debug or info,dipmo_kafka=debug. Without it DIPMO_LOG says so.
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
    /// Change nothing in the schema of the database: one that is not up to date is refused.
    #[arg(long)]
    no_migrate: bool,
    /// How many seconds a database that does not answer is waited for.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    wait: u64,
}

/// Runs until it is stopped.
pub(crate) async fn run(args: &Args) -> Result<ExitCode> {
    logs::install(args.log_format, args.log.as_deref())?;
    let mut signals = Signals::new().context("the system lets nobody listen to signals")?;
    let pipeline = match args.files.assemble(Output::Text) {
        Ok(pipeline) => pipeline,
        Err(code) => return Ok(code),
    };
    log_warnings(&pipeline);
    // Before anything is changed anywhere: a port that somebody else has ends it here.
    let (health, stop, port_stop) =
        (Health::default(), CancellationToken::new(), CancellationToken::new());
    let _port_ends_last = port_stop.clone().drop_guard();
    health.pulse.starting(Some("the database is opened"));
    tell_health(args.health, &health, port_stop).await?;
    tokio::spawn(Watchdog::new(Notify::from_env(), health.clone()).run(stop.clone()));
    if !pipeline.has_store() {
        return run_legs(args, &pipeline, &health, &stop, signals).await;
    }
    let on_schema = if args.no_migrate { OnSchema::Refuse } else { OnSchema::Apply };
    let tell = |what: &str| health.pulse.starting(Some(what));
    let opened = tokio::select! {
        opened = pipeline.open_telling(on_schema, Duration::from_secs(args.wait), tell) => opened,
        () = signals.next() => return Ok(ExitCode::SUCCESS),
    };
    let store = match opened {
        Ok(store) => store,
        Err(problem) => return Ok(refuse_one(Output::Text, problem, pipeline.files())),
    };
    let instance = match pipeline.instance(&store, &args.roles) {
        Ok(instance) => instance.noting(Arc::clone(&health.pulse)),
        Err(problems) => return Ok(refuse(Output::Text, &problems, pipeline.files())),
    };
    health.pulse.starting(None);
    tracing::info!(roles = %args.roles, config = pipeline.files().name(0), "running");
    let work = instance.run(stop.clone());
    let ended = run_until_stopped(work, &stop, async || signals.next().await, GRACE).await;
    Ok(ended.exit_code(ended_with))
}

/// Runs the legs of a file that has nothing else.
async fn run_legs(
    args: &Args,
    pipeline: &Pipeline,
    health: &Health,
    stop: &CancellationToken,
    mut signals: Signals,
) -> Result<ExitCode> {
    let legs = match pipeline.legs_alone(&args.roles) {
        Ok(legs) => legs,
        Err(problems) => return Ok(refuse(Output::Text, &problems, pipeline.files())),
    };
    health.pulse.starting(None);
    tracing::info!(roles = %args.roles, config = pipeline.files().name(0), "running, without a database");
    let work = legs.run(Arc::clone(&health.pulse), stop.clone());
    let ended = run_until_stopped(work, stop, async || signals.next().await, GRACE).await;
    Ok(ended.exit_code(ended_with))
}

/// Answers whoever asks how it is, from before anything runs until everything has ended: a probe that
/// finds nobody would have it killed in the midst of a migration.
async fn tell_health(at: HealthAt, health: &Health, stop: CancellationToken) -> Result<()> {
    let HealthAt(Some(address)) = at else { return Ok(()) };
    let port = HealthPort::bind(address).await.with_context(|| {
        format!("the health port {address} cannot be had; --health says another one, or off")
    })?;
    tracing::info!(address = %port.address()?, "health is told");
    tokio::spawn(port.run(health.clone(), stop));
    Ok(())
}

/// Warnings go where all else goes that is said while it runs.
fn log_warnings(pipeline: &Pipeline) {
    let files = pipeline.files();
    for warning in pipeline.warnings() {
        let place = warning.place.map(|place| {
            let at = files.position(place);
            format!("{}:{}:{}", files.name(place.file), at.line, at.column)
        });
        tracing::warn!(code = %warning.code, place, "{}", warning.message);
    }
}

fn ended_with(ended: Result<(), RunError>) -> ExitCode {
    match ended {
        Ok(()) => {
            tracing::info!("everything that was begun has ended");
            ExitCode::SUCCESS
        }
        Err(error) => {
            err(&error.for_people());
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// An address, or none.
#[derive(Clone, Copy, Debug)]
struct HealthAt(Option<SocketAddr>);

impl FromStr for HealthAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self(None));
        }
        let address = text.parse().map_err(|_| "say HOST:PORT, such as 0.0.0.0:8686, or off")?;
        Ok(Self(Some(address)))
    }
}

impl std::fmt::Display for HealthAt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("off"),
        }
    }
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "pretty" => Ok(Format::Pretty),
        "json" => Ok(Format::Json),
        _ => Err("say pretty or json".to_owned()),
    }
}
