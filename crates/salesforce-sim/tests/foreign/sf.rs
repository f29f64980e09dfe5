//! The official command line of Salesforce.
//!
//! It is heavy, so `cargo xtask conformance` alone installs it and runs these tests.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::script::{finish, installed, jsforce, path_with};
use crate::simulator::{CLIENT_ID, Simulator, USERNAME};

/// The command line of a person who has a folder and nothing else.
struct Sf {
    simulator: Simulator,
    home: TempDir,
    /// Whom `--target-org` names.
    target: String,
}

impl Sf {
    /// With an access token, which is how one logs in without being asked.
    fn new() -> Self {
        let simulator = Simulator::start();
        let target = simulator.access_token();
        Sf { simulator, home: tempfile::tempdir().unwrap(), target }
    }

    /// What a command answers in JSON, and whether it said that all went well.
    fn run(&self, command: &str, options: &[&str]) -> (bool, Value) {
        let mut sf = Command::new("sf");
        sf.current_dir(self.home.path()).args(command.split(' ')).args(options).arg("--json");
        sf.env("PATH", path_with(&[&jsforce(), &installed("DIPMO_TEST_SF", "sf")]));
        sf.env("HOME", self.home.path()).env("SF_ORG_INSTANCE_URL", &self.simulator.url);
        // It is to talk to the simulator and to nobody else.
        for variable in
            ["SF_DISABLE_TELEMETRY", "SF_AUTOUPDATE_DISABLE", "SF_SKIP_NEW_VERSION_CHECK"]
        {
            sf.env(variable, "true");
        }
        sf.env("SF_USE_GENERIC_UNIX_KEYCHAIN", "true");
        let ended = finish(&mut sf, "");
        let printed = String::from_utf8_lossy(&ended.stdout);
        let answer = serde_json::from_str(&printed).unwrap_or_else(|error| {
            panic!("sf {command}: {error}: {printed}{}", String::from_utf8_lossy(&ended.stderr))
        });
        (ended.status.success(), answer)
    }

    /// The result of a command that must go well.
    fn result(&self, command: &str, options: &[&str]) -> Value {
        let target = ["--target-org", &self.target];
        let (is_well, answer) = self.run(command, &[options, &target].concat());
        assert!(is_well, "sf {command}: {answer}");
        answer["result"].clone()
    }

    fn file(&self, name: &str, text: &str) -> String {
        fs::write(self.home.path().join(name), text).unwrap();
        name.to_owned()
    }
}

const UPSERT: [&str; 6] = ["--sobject", "Contact", "--external-id", "ExternalId__c", "--wait", "5"];

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn authenticates_with_jwt_bearer() {
    let mut sf = Sf::new();
    let key = sf.simulator.keys.key().display().to_string();
    let url = sf.simulator.url.clone();
    let login = ["--username", USERNAME, "--jwt-key-file", &key, "--client-id", CLIENT_ID];
    let (is_well, answer) =
        sf.run("org login jwt", &[&login[..], &["--instance-url", &url]].concat());
    assert!(is_well, "{answer}");
    assert_eq!(answer["result"]["username"], USERNAME);
    sf.target = USERNAME.to_owned();
    let found = sf.result("data query", &["--query", "SELECT Username FROM User"]);
    assert_eq!(found["records"][0]["Username"], USERNAME);
}
