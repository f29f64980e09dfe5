//! What is wrong is said with a code and a place, and without a secret.

use std::process::Output;

use crate::postgres::Database;
use crate::service::{dipmo, example, file, said};

fn run(url: &str) -> Output {
    let config = example("hits").display().to_string();
    let words = ["run", "--config", &config, "--health", "off", "--wait", "0"];
    dipmo(&words).env("DATABASE_URL", url).env("KAFKA_BROKERS", "127.0.0.1:1").output().unwrap()
}

fn assert_refused(output: &Output, code: &str, place: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("error[{code}]")), "{said}");
    assert!(said.contains(place), "{said}");
    assert!(said.contains(&format!("see: docs/errors/{code}.md")), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_refused_at_once_and_not_shown() {
    let database = Database::create().await;
    let url = database.url();
    let (before, host) = url.rsplit_once('@').unwrap();
    let (user, _) = before.rsplit_once(':').unwrap();
    let output = run(&format!("{user}:wr0ng-s3cret@{host}"));
    assert_refused(&output, "store-auth-failed", "dipmo.yaml:9:13");
    assert!(!said(&output).contains("s3cret"), "{}", said(&output));
}

#[test]
fn a_wrong_port_is_named() {
    let output = run("postgres://dipmo:h1dden@127.0.0.1:1/dipmo");
    assert_refused(&output, "store-unreachable", "dipmo.yaml:9:13");
    assert!(said(&output).contains("127.0.0.1:1") && !said(&output).contains("h1dden"));
}

#[test]
fn a_url_that_cannot_be_read_is_refused_without_being_shown() {
    let output = run("postgres://dipmo:h1dden@127.0.0.1:port/dipmo");
    assert_refused(&output, "store-url-invalid", "dipmo.yaml:9:13");
    assert!(!said(&output).contains("h1dden"), "{}", said(&output));
}

#[test]
fn an_option_that_an_adapter_refuses_is_refused_where_it_stands() {
    let overlay = "sources: {ihub: {properties: {enable.auto.commit: true}}}";
    let overlay = file("run-refused.yaml", overlay).display().to_string();
    let config = example("hits").display().to_string();
    let output = dipmo(&["run", "--config", &config, "--overlay", &overlay]).output().unwrap();
    assert_refused(&output, "kafka-property-owned", "run-refused.yaml:1:31");
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let output = dipmo(&["run", "--config", "no-such.yaml"]).output().unwrap();
    assert_refused(&output, "config-file-unreadable", "no-such.yaml");
}
