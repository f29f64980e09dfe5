//! The official command line of Salesforce.
//!
//! It is heavy, so `cargo xtask conformance` alone installs it and runs these tests.

use std::fmt::Write as _;
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
        sf.env("PATH", path_with(&[&jsforce(), &installed("DIPMO_TEST_SF", "sf", "conformance")]));
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

/// What a bulk job is about, and that its end is waited for.
const JOB: [&str; 4] = ["--sobject", "Contact", "--wait", "5"];

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn authenticates_with_jwt_bearer() {
    let mut sf = Sf::new();
    let key = sf.simulator.keys.key().display().to_string();
    let url = sf.simulator.url.clone();
    let app = ["--client-id", CLIENT_ID, "--jwt-key-file", &key, "--instance-url", &url];
    let login = [&["--username", USERNAME], &app[..]].concat();
    let (is_well, answer) = sf.run("org login jwt", &login);
    assert!(is_well, "{answer}");
    assert_eq!(answer["result"]["username"], USERNAME);
    sf.target = USERNAME.to_owned();
    let found = sf.result("data query", &["--query", "SELECT Username FROM User"]);
    assert_eq!(found["records"][0]["Username"], USERNAME);
}

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn runs_a_bulk_job_with_good_and_bad_rows() {
    let sf = Sf::new();
    let file = sf.file("good.csv", "ExternalId__c,LastName,Version__c\nC-1,Ames,1\n");
    let by_key = [&JOB[..], &["--external-id", "ExternalId__c", "--file"]].concat();
    let result = sf.result("data upsert bulk", &[&by_key[..], &[&file]].concat());
    assert_eq!(result["jobInfo"]["state"], "JobComplete", "{result}");
    assert_eq!(result["jobInfo"]["numberRecordsProcessed"], 1, "{result}");
    let rows = "ExternalId__c;LastName;Version__c\nC-1;\"Ames; Zoë\";2\nC-2;;1\nC-3;Cole;1\n";
    let file = sf.file("mixed.csv", rows);
    // A row that failed makes the command fail, and the results are a command of their own.
    let target = ["--target-org", &sf.target];
    let (is_well, answer) = sf.run("data upsert bulk", &[&by_key[..], &[&file], &target].concat());
    assert!(!is_well);
    assert_eq!(answer["name"], "FailedRecordDetailsError", "{answer}");
    let job = answer["data"]["jobId"].as_str().unwrap();
    let result = sf.result("data bulk results", &["--job-id", job]);
    assert_eq!(result["successfulRecords"], 2, "{result}");
    assert_eq!(result["failedRecords"], 1, "{result}");
    let read = |what: &str| {
        fs::read_to_string(sf.home.path().join(result[what].as_str().unwrap())).unwrap()
    };
    assert!(read("successFilePath").contains("\"Ames; Zoë\""));
    assert!(read("failedFilePath").contains("REQUIRED_FIELD_MISSING"));
    let ledger = sf.simulator.ledger("Contact");
    assert_eq!(ledger.keys(), ["C-1", "C-3"]);
    assert_eq!(ledger.versions("C-1"), [1.0, 2.0]);
}

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn deletes_one_by_one_and_in_bulk() {
    let sf = Sf::new();
    for key in ["C-1", "C-2", "C-3"] {
        let values = format!("LastName=Ames ExternalId__c={key}");
        sf.result("data create record", &["--sobject", "Contact", "--values", &values]);
    }
    let one = ["--sobject", "Contact", "--where", "ExternalId__c=C-1"];
    assert_eq!(sf.result("data delete record", &one)["success"], true);
    let ledger = sf.simulator.ledger("Contact");
    let file = sf.file("ids.csv", &format!("Id\n{}\n{}\n", ledger.id("C-2"), ledger.id("C-3")));
    let result = sf.result("data delete bulk", &[&JOB[..], &["--file", &file]].concat());
    assert_eq!(result["jobInfo"]["numberRecordsProcessed"], 2, "{result}");
    let ledger = sf.simulator.ledger("Contact");
    for key in ["C-1", "C-2", "C-3"] {
        assert_eq!(ledger.kinds(key), ["created", "deleted"], "{key}");
    }
}

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn queries_more_than_one_page() {
    let sf = Sf::new();
    let mut rows = "ExternalId__c,LastName\n".to_owned();
    for number in 1..=2500 {
        writeln!(rows, "C-{number},Name {number}").unwrap();
    }
    let file = sf.file("many.csv", &rows);
    let insert = ["--sobject", "Contact", "--wait", "5", "--file", &file];
    sf.result("data import bulk", &insert);
    let query = ["--query", "SELECT Id, ExternalId__c, Account.Name FROM Contact"];
    let result = sf.result("data query", &query);
    assert_eq!(result["totalSize"], 2500);
    assert_eq!(result["records"].as_array().map(Vec::len), Some(2500));
}

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn reads_limits() {
    let limits = Sf::new().result("org list limits", &[]);
    let daily = |limit: &&Value| limit["name"] == "DailyApiRequests";
    let daily = limits.as_array().unwrap().iter().find(daily).unwrap();
    assert!(daily["remaining"].as_u64() < daily["max"].as_u64(), "{daily}");
}

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn describes_objects_and_fields() {
    let described = Sf::new().result("sobject describe", &["--sobject", "Contact"]);
    let fields = described["fields"].as_array().unwrap();
    let key = fields.iter().find(|field| field["name"] == "ExternalId__c").unwrap();
    assert_eq!((&described["keyPrefix"], &key["externalId"]), (&json!("003"), &json!(true)));
}

#[test]
#[ignore = "cargo xtask conformance runs it"]
fn is_told_its_mistakes() {
    let sf = Sf::new();
    let file = sf.file("one.csv", "ExternalId__c,LastName,Nothing__c\nC-1,Ames,1\n");
    let job = |object| {
        vec!["--sobject", object, "--external-id", "ExternalId__c", "--wait", "5", "--file", &file]
    };
    let query = vec!["--query", "SELECT Nothing__c FROM Contact"];
    for (command, options, target, name, words) in [
        ("data upsert bulk", job("Nothing__c"), &sf.target, "INVALIDJOB", "Unable to find object"),
        ("data upsert bulk", job("Contact"), &sf.target, "JobFailedError", "Field name not found"),
        ("data query", query.clone(), &sf.target, "INVALID_FIELD", "No such column 'Nothing__c'"),
        ("data query", query, &format!("{}x", sf.target), "INVALID_SESSION_ID", "Session expired"),
    ] {
        let (is_well, answer) =
            sf.run(command, &[&options[..], &["--target-org", target]].concat());
        assert!(!is_well, "{command}: {answer}");
        assert_eq!(answer["name"], name, "{command}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains(words), "{command}: {answer}");
    }
    assert_eq!(sf.simulator.ledger("Contact").keys(), Vec::<String>::new());
}
