//! The whole document, gone through by schemathesis, which others wrote.
//!
//! It makes requests of the document alone, good ones and bad ones, and compares every answer with it. What it asked
//! is read from its report afterwards: every route must have been asked, and have done what it is for at least once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use dipmo_admin::{AppLimits, AppOptions, Role};
use serde_json::Value;

use crate::rig::Rig;
use crate::routes::{self, archived, begun};
use crate::server::{Running, options};

/// What it is told, beside the document.
///
/// Left out: `ignored_auth`, because whoever shows wrong tokens again and again is told to wait; `doors.rs` asks every
/// route without a good one.
///
/// That what the document allows is accepted cannot hold where more is known than a document can tell: which states a
/// process of this installation has, how destinations are written, that who reveals or changes something says why, and
/// that `1.0` is no whole number. Links that it infers confuse the ids of messages with their numbers.
const CONFIG: &str = r#"
[checks]
ignored_auth.enabled = false

[phases.stateful.checks]
positive_data_acceptance.enabled = false

[[operations]]
include-path = [
    "/api/v1/units", "/api/v1/operations", "/api/v1/tokens", "/api/v1/aggregates/{id}/erase",
    "/api/v1/messages/{id}", "/api/v1/messages/{id}/edit", "/api/v1/intents/{id}",
    "/api/v1/processes/{name}/instances", "/api/v1/processes/{name}/instances/{id}",
    "/api/v1/processes/{name}/instances/{id}/move",
]
checks.positive_data_acceptance.enabled = false

[[operations]]
include-path = ["/api/v1/archives/{id}/verify", "/api/v1/archives/{id}/restore"]
parameters = { "path.id" = 1 }
checks.positive_data_acceptance.enabled = false

[[operations]]
include-path = ["/api/v1/destinations/{name}/pause", "/api/v1/destinations/{name}/resume"]
parameters = { "path.name" = "KAFKA:known" }

[[operations]]
include-path = ["/api/v1/destinations/{name}/breaker", "/api/v1/destinations/{name}/rate"]
parameters = { "path.name" = "HTTP:SFDC:Auto:Contact" }
checks.positive_data_acceptance.enabled = false
"#;

/// A document does not tell which states a process has, so nobody who knows nothing else moves an instance: that is in
/// `moving.rs`.
const NOT_GUESSED: &str = "/processes/{name}/instances/{id}/move";

#[tokio::test(flavor = "multi_thread")]
async fn schemathesis_finds_nothing_wrong_with_any_route() {
    let (watch_every, watch_for) = (Duration::from_millis(20), Duration::from_millis(100));
    let limits = AppLimits { watch_every, watch_for, ..AppLimits::default() };
    let rig = Rig::with(AppOptions { limits, ..AppOptions::default() }).await;
    rig.live().await;
    begun(&rig).await;
    assert_eq!(archived(&rig).await, 1, "the lot that it is told of");
    // It revokes the tokens that it finds, and is not to find its own.
    rig.by_hand(
        "CREATE TRIGGER keep BEFORE UPDATE ON dipmo_token WHEN OLD.name = 'admin'
         BEGIN SELECT raise(IGNORE); END",
    );
    let running = Running::new(&rig.app, options()).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("schemathesis.toml"), CONFIG).unwrap();
    let report = folder.path().join("report.ndjson");
    let url = format!("http://{}/api/v1/openapi.json", running.address);
    let command = command(folder.path(), &url, rig.token_of(Role::Admin), &report);
    let ended = tokio::task::spawn_blocking(move || ran(command)).await.unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    rig.get(Role::Admin, "/me").await.is(200);
    running.stop().await;
    let done = done(&std::fs::read_to_string(report).unwrap());
    // The document itself is what it read first.
    let left_out = ["/openapi.json", NOT_GUESSED];
    let all = routes::all(&rig).await.into_iter();
    let all = all.filter(|route| !left_out.contains(&route.path.as_str()));
    for route in all {
        let name = format!("{} /api/v1{}", route.method, route.path);
        assert!(done.contains(&name), "{name} never did what it is for; those that did: {done:?}");
    }
}

/// A fixed seed, so that a run can be repeated; more of each with `--full`.
fn command(folder: &Path, url: &str, token: &str, report: &Path) -> Command {
    let examples = if std::env::var_os("DIPMO_TEST_FULL").is_some() { "50" } else { "10" };
    let seed = std::env::var("DIPMO_TEST_SEED").unwrap_or_else(|_| "11".to_owned());
    let mut command = Command::new(python());
    command.current_dir(folder).args(["-m", "schemathesis.cli", "run", url]);
    command.args(["-H", &format!("Authorization: Bearer {token}")]);
    command.args(["--max-examples", examples, "--seed", &seed]);
    command.args(["--continue-on-failure", "--generation-database", "none", "--no-color"]);
    command.arg("--report-ndjson-path").arg(report);
    // A proxy of the machine is not for what runs on it.
    command.env("NO_PROXY", "*");
    command
}

fn ran(mut command: Command) -> Output {
    command.output().unwrap()
}

fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let usual = folder.join("../../target/tools/schemathesis/bin/python");
    let there = std::env::var_os("DIPMO_TEST_SCHEMATHESIS").map_or(usual, PathBuf::from);
    let hint = "run `cargo xtask services clients`, or set DIPMO_TEST_SCHEMATHESIS";
    assert!(there.exists(), "no schemathesis: {hint}");
    there
}

/// The routes that were answered with success at least once, as the report tells it.
fn done(report: &str) -> BTreeSet<String> {
    let mut done = BTreeSet::new();
    for line in report.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let recorded = &event["ScenarioFinished"]["recorder"];
        let asked = recorded["interactions"].as_object().into_iter().flatten();
        let did = asked.filter(|(_, it)| {
            it["response"]["status_code"].as_u64().is_some_and(|status| status < 300)
        });
        done.extend(did.map(|(id, _)| {
            let case = &recorded["cases"][id]["value"];
            format!("{} {}", case["method"].as_str().unwrap(), case["path"].as_str().unwrap())
        }));
    }
    done
}
