//! Reports and the doctor, as operators type them.

use std::time::Instant;

use serde_json::{Value, json};

use crate::program::said;
use crate::server::Server;
use crate::shop::{PATIENCE, Shop};

/// The line of a check.
fn line(examined: &Value, check: &str) -> Value {
    let lines = examined["lines"].as_array().unwrap();
    lines.iter().find(|line| line["check"] == check).unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn ageing_shows_what_waits_and_how_old_it_is() {
    let shop = Shop::open("operate-ageing").await;
    let shown = shop.says(0, &["report", "ageing"]);
    let lines: Vec<Vec<&str>> = shown.lines().map(|it| it.split_whitespace().collect()).collect();
    assert_eq!(lines[1][..4], ["inbox", "FAILED", "2", "2"], "{shown}");
    assert_eq!(lines[2][..4], ["inbox", "RECEIVED,", "held", "1"], "{shown}");
    assert_eq!(lines[3][..3], ["inbox", "SERDE_ERROR", "1"], "{shown}");
    assert_eq!(lines[4][..3], ["KAFKA:order-events", "FAILED", "1"], "{shown}");
    let report = shop.json(&["report", "ageing"]);
    assert_eq!((&report["complete"], report["rows"].as_array().unwrap().len()), (&json!(true), 4));
    shop.says(0, &["inbox", "skip", "3", "5", "6", "--reason", "INC-17", "--yes"]);
    let left = shop.says(0, &["report", "ageing"]);
    assert!(!left.contains("inbox  FAILED"), "{left}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hot_leads_to_the_head_that_others_wait_for() {
    let shop = Shop::open("operate-hot").await;
    let shown = shop.says(0, &["report", "hot"]);
    let key = shown.lines().find(|line| line.starts_with("O-2 ")).unwrap_or_default();
    let cells: Vec<&str> = key.split_whitespace().collect();
    assert_eq!(
        (cells[..3].to_vec(), cells.last()),
        (vec!["O-2", "inbox", "1"], Some(&"3")),
        "{shown}"
    );
    assert!(shown.contains("among the 6 newest messages:"), "{shown}");
    let hot = shop.json(&["report", "hot", "--limit", "1"]);
    assert_eq!(hot["recent"].as_array().unwrap().len(), 1);
    assert_eq!((&hot["keys"][0]["key"], &hot["keys"][0]["head"]), (&json!("O-2"), &json!(3)));
    shop.says(2, &["report", "hot", "--limit", "0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let shop = Shop::open("operate-doctor").await;
    let shown = shop.says(1, &["doctor"]);
    for expected in [
        "FAIL     instances    no instance is there; ",
        "                      next: dipmo run\n",
        "FAIL     failed       4 wait for a person, and 3 groups grew in the last 15 minutes, ",
        "WARN     undecodable  1 are SERDE_ERROR, ",
        "WARN     blocked      1 are held behind the head of their key, or parked; ",
        "UNKNOWN  health       no instance is there",
        "OK       audit        the database refuses to change and to delete entries",
        "WARN     retention    history is kept for ever, ",
        "OK       door         the admin API is closed",
    ] {
        assert!(shown.contains(expected), "{expected:?}: {shown}");
    }
    let output = shop.types(&["doctor", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let examined: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(examined["verdict"], "FAIL");
    assert_eq!(line(&examined, "roles")["next"], "dipmo run --roles consume,process,publish");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_asks_the_outside_where_the_configuration_is() {
    let shop = Shop::open("operate-connect").await;
    let output = shop.types(&["doctor", "--connect", "--output", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let examined: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = examined["lines"].as_array().unwrap();
    let outside: Vec<_> = lines.iter().filter(|line| line["check"] == "connect").collect();
    let found = |verdict: &str, words: &str| {
        let fits = |line: &&&Value| {
            line["verdict"] == verdict && line["evidence"].as_str().unwrap().contains(words)
        };
        outside.iter().find(fits).is_some()
    };
    assert!(found("OK", "connection: it answers"), "{outside:?}");
    assert!(found("FAIL", "brokers: "), "nobody is there: {outside:?}");
    let refused = shop.says(2, &["doctor", "--connect", "--server", "http://127.0.0.1:9"]);
    assert!(refused.contains("--connect needs the configuration"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_tells_its_clock_and_how_much_it_does() {
    let shop = Shop::open("operate-telling").await;
    let server = Server::start(&shop);
    let token = server.token("viewer");
    let output = server.types(&token, &["doctor", "--output", "json"]);
    let examined: Value = serde_json::from_slice(&output.stdout).unwrap();
    for check in ["schema", "instances", "versions", "clock"] {
        let line = line(&examined, check);
        assert_eq!(line["verdict"], "OK", "{line}");
    }
    let roles = line(&examined, "roles");
    assert_eq!(
        (&roles["verdict"], &roles["next"]),
        (&json!("FAIL"), &json!("dipmo run --roles consume,publish"))
    );
    // It tells for the second time after ten seconds.
    let began = Instant::now();
    let figures = loop {
        let figures = server.says(0, &token, &["top", "--times", "1"]);
        if figures.contains("  done ") {
            break figures;
        }
        assert!(began.elapsed() < PATIENCE, "it never tells: {figures}");
    };
    assert!(figures.contains(" processed/s=0.0 dispatched/s=0.0 failed/s=0.0"), "{figures}");
    let output = server.types(&token, &["top", "--times", "1", "--output", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["throughput"]["instances"], 1);
    assert_eq!(json["inbox"]["held"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promise_that_is_broken_is_told_with_what_is_left() {
    let shop = Shop::open("operate-slo").await;
    let shown = shop.says(0, &["report", "slo"]);
    assert!(shown.contains("nothing is promised: the configuration has no `slo`"), "{shown}");
    let file = shop.0.read("dipmo.yaml");
    let slo = "slo: {latency: {within: 60s, share: 0.999}, processed: 0.9}\n";
    shop.0.write("dipmo.yaml", &format!("{file}\n{slo}"));
    let shown = shop.says(0, &["report", "slo"]);
    assert!(shown.contains("latency within 60s   99.9%"), "{shown}");
    assert!(shown.contains("nothing yet"), "{shown}");

    // Two messages fail again while an instance looks on; it tells every ten seconds.
    let server = Server::start(&shop);
    let token = server.token("viewer");
    let group = shop.unknown_orders();
    shop.types(&["inbox", "retry", "--failure", &group, "--reason", "INC-17", "--yes"]);
    let began = Instant::now();
    let report = loop {
        let output = server.types(&token, &["report", "slo", "--output", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        if report["objectives"][1]["used"] == 2 {
            assert_eq!(output.status.code(), Some(3), "{}", said(&output));
            break report;
        }
        assert!(began.elapsed() < PATIENCE, "it never tells: {report}");
    };
    let processed = &report["objectives"][1];
    assert_eq!(
        (&processed["objective"], &processed["used_up"]),
        (&json!("processed"), &json!(true))
    );
    assert!(processed["burn_1h"].as_f64().unwrap() > 1.0, "{processed}");
    let shown = shop.says(3, &["report", "slo"]);
    assert!(shown.contains("next: dipmo report ageing"), "{shown}");
    let examined = shop.types(&["doctor", "--output", "json"]);
    let examined: Value = serde_json::from_slice(&examined.stdout).unwrap();
    assert_eq!(line(&examined, "slo")["verdict"], "FAIL", "{examined}");
}
