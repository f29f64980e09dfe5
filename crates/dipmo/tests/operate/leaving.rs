//! Ctrl-C leaves an operation running.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::server::Server;
use crate::shop::Shop;

/// Begins something, leaves it with Ctrl-C once it has begun, and hears what is said about that.
fn left(mut command: Command, begins: &str) -> Vec<String> {
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some(begins));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    rest
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_is_told_how_to_come_back() {
    let shop = Shop::open("operate-leaving").await;
    let server = Server::start(&shop);
    let token = server.token("operator");
    let arguments = [
        "inbox", "skip", "3", "5", "6", "97", "98", "99", "--reason", "INC-17", "--rate", "1",
        "--yes",
    ];
    let command = server.command(&[&arguments[..], &["--token-file", &token]].concat());
    let rest = left(command, "operation 1 began: 6 to skip");
    assert_eq!(rest[0], "operation 1 was left: it goes on there");
    assert!(rest[1].contains("dipmo operation watch 1"), "{rest:?}");
    let paused = server.says(0, &token, &["operation", "pause", "1", "--reason", "wait"]);
    assert!(paused.contains("state         PAUSED\n"), "{paused}");
    let watched = server.says(1, &token, &["operation", "watch", "1"]);
    assert!(watched.contains("next: dipmo operation resume 1 --reason WHY"), "{watched}");
    server.says(0, &token, &["operation", "resume", "1", "--reason", "go on"]);
    let cancelled = server.says(0, &token, &["operation", "cancel", "1", "--reason", "enough"]);
    assert!(cancelled.contains("state         CANCELLED\n"), "{cancelled}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_left_without_a_server_is_gone_on_with() {
    let shop = Shop::open("operate-left").await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
    command
        .args(["inbox", "skip", "3", "5", "6", "99", "--reason", "INC-17", "--rate", "2", "--yes"]);
    command.current_dir(&shop.0.0).env_clear().stdin(Stdio::null());
    let rest = left(command, "operation 1 began: 4 to skip");
    assert!(rest[0].starts_with("operation 1 was left: an instance that runs goes on"), "{rest:?}");
    let met = &shop.json(&["operation", "show", "1"])["met"];
    assert!(met.as_u64().unwrap() < 4, "{met}");
    let told = shop.says(1, &["operation", "watch", "1"]);
    assert!(told.contains("operation 1 has ended: 4 of 4 met"), "{told}");
    assert!(told.contains("3  DONE") && told.contains("1  NOT_FOUND"), "{told}");
}
