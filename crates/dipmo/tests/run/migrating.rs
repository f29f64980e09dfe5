//! `dipmo migrate` on a database of its own.

use std::path::Path;
use std::process::Output;

use crate::postgres::Database;
use crate::service::{dipmo, example, file, said};

fn migrate(url: &str, words: &[&str]) -> Output {
    migrate_with(&example("hits"), url, words)
}

fn migrate_with(config: &Path, url: &str, words: &[&str]) -> Output {
    let config = config.display().to_string();
    dipmo(&["migrate"])
        .args(words)
        .args(["--config", &config])
        .env("DATABASE_URL", url)
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_is_shown_then_made_then_nothing_is_left() {
    let database = Database::create().await;
    let url = database.url();
    let plan = migrate(&url, &["plan"]);
    assert_eq!(plan.status.code(), Some(1), "{}", said(&plan));
    assert!(said(&plan).contains("step  0001") && said(&plan).contains("table HIT_PROCESS"));
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

#[tokio::test(flavor = "multi_thread")]
async fn what_is_printed_makes_a_database_that_lacks_nothing() {
    let database = Database::create().await;
    let print = migrate("postgres://nobody@127.0.0.1:1/nowhere", &["print"]);
    assert_eq!(print.status.code(), Some(0), "{}", said(&print));
    let script = String::from_utf8(print.stdout).unwrap();
    database.client().await.batch_execute(&script).await.unwrap();
    let plan = migrate(&database.url(), &["plan"]);
    assert_eq!((plan.status.code(), said(&plan).trim()), (Some(0), "nothing is left to do"));
}

/// An order that may be in a state which another version of it does not have.
fn order(state: &str) -> String {
    format!(
        "
dipmo: 1
store: {{postgres: '${{env:DATABASE_URL}}'}}
processes:
  ORDER:
    listens: {{orders: Ordered}}
    events: {{Ordered: {{}}}}
    initial: NEW
    states: {{NEW: It came., {state}: On its way., DONE: {{describe: Done., final: true}}}}
    on:
      Ordered:
        - {{in: NEW, go: {state}}}
        - {{in: {state}, go: DONE}}
"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_gone_is_refused_until_its_instances_are_mapped() {
    let database = Database::create().await;
    let (url, client) = (database.url(), database.client().await);
    let before = file("migrate-before.yaml", &order("PACKED"));
    let after = file("migrate-after.yaml", &order("SHIPPED"));
    assert_eq!(migrate_with(&before, &url, &["apply"]).status.code(), Some(0));
    let status = migrate_with(&after, &url, &["status"]);
    assert_eq!(status.status.code(), Some(1), "{}", said(&status));
    assert!(said(&status).contains("left    states of ORDER: SHIPPED"), "{}", said(&status));
    let row = "insert into order_process (ID, STATE) values ('O-1', 'PACKED')";
    client.batch_execute(row).await.unwrap();

    let refused = migrate_with(&after, &url, &["apply"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("error[states-gone]"), "{}", said(&refused));
    assert!(said(&refused).contains("O-1"), "{}", said(&refused));
    let mapped = migrate_with(&after, &url, &["apply", "--map", "ORDER.PACKED=SHIPPED"]);
    assert_eq!(mapped.status.code(), Some(0), "{}", said(&mapped));
    let state = client.query_one("select STATE from order_process", &[]).await.unwrap();
    assert_eq!(state.get::<_, &str>(0), "SHIPPED");
}
