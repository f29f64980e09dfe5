//! `dipmo version`: which dipmo this is, and what is built into it.

use std::process::ExitCode;

use dipmo_store::migration::Migration;
use dipmo_store_sqlite::rusqlite;
use serde_json::{Value, json};

use crate::output::OutputArgs;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo version                                 for a report of what is wrong
  dipmo version --output json | jq .schema      which schema each store needs, for a script
  dipmo --version                               one line";

/// How to print it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    output: OutputArgs,
}

/// What there is to know of a build.
struct Version {
    /// The commit, where whoever built it set `DIPMO_COMMIT`.
    commit: Option<&'static str>,
    target: String,
    postgres: u32,
    sqlite: u32,
    librdkafka: String,
    sqlite_library: &'static str,
}

/// Prints it.
pub(crate) fn run(args: &Args) -> ExitCode {
    let version = Version::of_this();
    args.output.format.print(|| version.text(), || version.json());
    ExitCode::SUCCESS
}

impl Version {
    fn of_this() -> Self {
        let newest = |steps: &[Migration]| steps.last().map_or(0, |step| step.version);
        Self {
            // An image that was built without the argument has an empty one.
            commit: option_env!("DIPMO_COMMIT").filter(|commit| !commit.is_empty()),
            target: target(),
            postgres: newest(dipmo_store_postgres::MIGRATIONS),
            sqlite: newest(dipmo_store_sqlite::MIGRATIONS),
            librdkafka: rdkafka::util::get_rdkafka_version().1,
            sqlite_library: rusqlite::version(),
        }
    }

    fn text(&self) -> String {
        let Self { commit, target, postgres, sqlite, librdkafka, sqlite_library } = self;
        format!(
            "dipmo {}\n\
             commit      {}\n\
             target      {target}\n\
             schema      {postgres} on PostgreSQL, {sqlite} on SQLite\n\
             librdkafka  {librdkafka}\n\
             SQLite      {sqlite_library}",
            env!("CARGO_PKG_VERSION"),
            commit.unwrap_or("unknown"),
        )
    }

    fn json(&self) -> Value {
        let Self { commit, target, postgres, sqlite, librdkafka, sqlite_library } = self;
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "commit": commit,
            "target": target,
            "schema": {"postgres": postgres, "sqlite": sqlite},
            "libraries": {"librdkafka": librdkafka, "sqlite": sqlite_library},
        })
    }
}

/// The machine that it was built for. Only a build script knows the whole name, and one that asks git or the
/// compiler would build anew what has not changed.
fn target() -> String {
    let libc = ["gnu", "musl", "msvc"];
    let known = [cfg!(target_env = "gnu"), cfg!(target_env = "musl"), cfg!(target_env = "msvc")];
    let libc = libc.into_iter().zip(known).find_map(|(name, is)| is.then_some(name));
    let parts = [Some(std::env::consts::ARCH), Some(std::env::consts::OS), libc];
    parts.into_iter().flatten().collect::<Vec<_>>().join("-")
}
