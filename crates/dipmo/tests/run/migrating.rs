//! `dipmo migrate` on a database of its own.

use std::process::Output;

use crate::postgres::Database;
use crate::service::{dipmo, example, said};

fn migrate(url: &str, words: &[&str]) -> Output {
    let config = example("hits").display().to_string();
    let words: Vec<&str> = ["migrate", "--config", &config].iter().chain(words).copied().collect();
    dipmo(&words).env("DATABASE_URL", url).output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_is_shown_then_made_then_nothing_is_left() {
    let database = Database::create().await;
    let url = database.url();
    let plan = migrate(&url, &["plan"]);
    assert_eq!(plan.status.code(), Some(1), "{}", said(&plan));
    assert!(said(&plan).contains("step  0001") && said(&plan).contains("table HIT_PROCESS"));
    let print = migrate(&url, &["print"]);
    assert!(said(&print).contains("create table if not exists HIT_PROCESS"), "{}", said(&print));
    assert_eq!(migrate(&url, &["status"]).status.code(), Some(1));

    let apply = migrate(&url, &["apply", "--output", "json"]);
    assert_eq!(apply.status.code(), Some(0), "{}", said(&apply));
    let applied: serde_json::Value = serde_json::from_slice(&apply.stdout).unwrap();
    assert_eq!(applied["applied"][0]["version"], 1);

    let plan = migrate(&url, &["plan"]);
    assert_eq!((plan.status.code(), said(&plan).trim()), (Some(0), "nothing is left to do"));
    assert_eq!(migrate(&url, &[]).status.code(), Some(0));
    let client = database.client().await;
    client.query("select * from hit_process, hits, reviews", &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_may_not_migrate_refuses_an_empty_database() {
    let database = Database::create().await;
    let config = example("hits").display().to_string();
    let words = ["run", "--config", &config, "--no-migrate", "--health", "off"];
    let output = dipmo(&words).env("DATABASE_URL", database.url()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("error[schema-missing]"), "{}", said(&output));
    assert!(said(&output).contains("dipmo migrate apply"), "{}", said(&output));
}
