//! The simulator as a program.

use std::process::Stdio;

use serde_json::Value as Json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_salesforce-sim"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

#[tokio::test]
async fn it_says_where_it_listens_and_ends_on_a_signal() {
    for signal in ["TERM", "INT"] {
        let mut child = program(&["--port", "0"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line: Json = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let port = line["port"].as_u64().unwrap();
        assert_eq!(line["url"], format!("http://127.0.0.1:{port}"));
        assert_eq!(line["pid"], child.id().unwrap());
        assert!(line["clientId"].is_string() && line["clientSecret"].is_string(), "{line}");
        let pid = child.id().unwrap().to_string();
        Command::new("kill").args(["-s", signal, &pid]).status().await.unwrap();
        assert!(child.wait().await.unwrap().success(), "{signal}");
        assert_eq!(lines.next_line().await.unwrap(), None, "one line and no more");
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_in_one_line() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let schema = file("schema.yaml", "objects:\n  Contact:\n    feilds: {}\n");
    let key =
        file("key.yaml", "org: { apps: [{ client_id: a, certificate: '-----BEGIN X-----' }] }\n");
    for (arguments, expected) in [
        (["--port", port.as_str()], vec!["cannot listen at 127.0.0.1:", "in use"]),
        (["--schema", "/no/such/file.yaml"], vec!["/no/such/file.yaml", "No such file"]),
        (["--schema", &schema], vec!["schema.yaml: line 3, column 5: unknown key \"feilds\""]),
        (["--schema", &key], vec!["the certificate of the app \"a\" cannot be used"]),
        (["--port", "70000"], vec!["70000"]),
    ] {
        let output = program(&arguments).output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(expected.iter().all(|part| said.contains(part)), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn it_helps() {
    let help = program(&["--help"]).output().await.unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(["--schema", "--seed", "Examples:"].iter().all(|part| help.contains(part)), "{help}");
    let schema = program(&["--print-schema"]).output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&schema.stdout), salesforce_sim::STANDARD_SCHEMA);
}
