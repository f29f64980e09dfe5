//! What `check --connect` is told by the outside.

use std::time::Duration;

use dipmo::wiring::probe::{Limits, Row, probe};
use dipmo::wiring::{OnSchema, Pipeline};
use dipmo_config::{Colour, Config, ProcessEnvironment, References};
use dipmo_kafka::testing;
use salesforce_sim::{Options, Simulator};

use crate::postgres::Database;

/// A pipeline whose every part is there, but for what the test breaks.
fn config(database: &str, brokers: &str, topic: &str, org: &str, object: &str) -> String {
    format!(
        r#"
dipmo: 1
store: {{postgres: "${{env:PROBE_URL:-{database}}}"}}
kafka: {{default: {{brokers: "{brokers}"}}}}
sources:
  shop:
    group: {topic}
    topics: {{{topic}: {{aggregate_id: key}}}}
tables:
  ORDERS:
    columns: {{ID: "text(200), required", STATUS: text(30)}}
    key: ID
queries:
  orders_of:
    sql: select STATUS from ORDERS where ID = :id
    parameters: {{id: text}}
    columns: {{STATUS: text}}
processes:
  ORDER:
    listens: {{{topic}: Ordered}}
    events: {{Ordered: {{}}}}
    initial: NEW
    states: {{NEW: It came., DONE: {{describe: Done., final: true}}}}
    facts: {{orders: {{query: orders_of, with: {{id: =id}}}}}}
    on:
      Ordered:
        - in: NEW
          go: DONE
          write: {{upsert: ORDERS, set: {{ID: =id, STATUS: =state}}}}
          send: {{to: ["HTTP:SFDC:Rest:{object}", "KAFKA:{topic}"], event: OrderDone, records: "[id]"}}
destinations:
  kafka: {{}}
  salesforce:
    default:
      {org}
      objects:
        {object}:
          external_id: ExternalId__c
          from: {{table: ORDERS, by: ID}}
          fields: {{LastName: STATUS}}
"#
    )
}

/// What a text says.
pub(crate) fn pipeline(text: &str) -> Pipeline {
    let source = dipmo_config::load::Source { name: "dipmo.yaml", text };
    let loaded = Config::from_texts(&[source], References::Resolve(&ProcessEnvironment));
    let loaded =
        loaded.unwrap_or_else(|it| panic!("{}", it.problems.render(&it.files, Colour::Never)));
    Pipeline::assemble(&loaded)
        .unwrap_or_else(|it| panic!("{}", it.render(&loaded.files, Colour::Never)))
}

fn org(salesforce: &Simulator) -> String {
    let app = salesforce.credentials().unwrap();
    let reference = |value: &str| format!("\"${{env:PROBE_NOWHERE:-{value}}}\"");
    let (id, secret) = (reference(&app.client_id), reference(&app.client_secret));
    format!(
        "url: {}\n      login: {{client_credentials: {{id: {id}, secret: {secret}}}}}",
        salesforce.url()
    )
}

/// Each row as `what: code`, or `what: ok`.
pub(crate) fn shown(rows: &[Row]) -> Vec<String> {
    let answer = |row: &Row| match &row.answer {
        Ok(_) => "ok".to_owned(),
        Err(problem) => problem.code.to_string(),
    };
    rows.iter().map(|row| format!("{}: {}", row.what, answer(row))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_there_is_found() {
    let (database, salesforce) =
        (Database::create().await, Simulator::start(Options::default()).await.unwrap());
    let topic = testing::topic("probe", 2).await;
    let text = config(&database.url(), &testing::brokers(), &topic, &org(&salesforce), "Contact");
    let pipeline = pipeline(&text);
    let before = shown(&probe(&pipeline, Limits::default()).await);
    assert_eq!(before[..2], ["connection: ok", "schema: schema-missing"], "nothing was made");
    pipeline.open(OnSchema::Apply, Duration::ZERO).await.unwrap();
    let rows = shown(&probe(&pipeline, Limits::default()).await);
    let topic_row = format!("topic {topic}: ok");
    let group_row = format!("group {topic}: ok");
    let expected = [
        "connection: ok",
        "schema: ok",
        "query orders_of: ok",
        "brokers: ok",
        &topic_row,
        &group_row,
        "brokers: ok",
        &topic_row,
        "login: ok",
        "object Contact: ok",
    ];
    assert_eq!(rows, expected);
    salesforce.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_said_with_code_and_place() {
    let (database, salesforce) =
        (Database::create().await, Simulator::start(Options::default()).await.unwrap());
    let topic = testing::unique_name("never-made");
    let text = config(&database.url(), &testing::brokers(), &topic, &org(&salesforce), "Kontact");
    pipeline(&text).open(OnSchema::Apply, Duration::ZERO).await.unwrap();
    let text = text.replace("select STATUS from ORDERS where", "select STATUS from ORDERZ where");
    let pipeline = pipeline(&text);
    let refused = pipeline.open(OnSchema::Apply, Duration::ZERO).await.err().unwrap();
    assert_eq!(refused.code.as_str(), "sql-failed");
    assert!(pipeline.files().slice(refused.place.unwrap()).starts_with("select STATUS"));
    let rows = probe(&pipeline, Limits::default()).await;
    for (what, code, at) in [
        ("query orders_of".to_owned(), "sql-failed", "ORDERZ"),
        (format!("topic {topic}"), "kafka-topic-unknown", topic.as_str()),
        ("object Kontact".to_owned(), "salesforce-object-unknown", "Kontact"),
    ] {
        let row = rows.iter().find(|row| row.what == what && row.is_error());
        let row = row.unwrap_or_else(|| panic!("{what}: {:?}", shown(&rows)));
        let problem = row.answer.as_ref().unwrap_err();
        assert_eq!(problem.code.as_str(), code);
        assert_eq!(pipeline.files().slice(problem.place.unwrap()), at);
    }
    salesforce.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_not_answer_is_not_waited_for_long() {
    let org = "url: http://127.0.0.1:1\n      login: {client_credentials: {id: x, secret: \"${env:PROBE_NOWHERE:-y}\"}}";
    let text = config("postgres://u@127.0.0.1:1/db", "127.0.0.1:1", "nowhere", org, "Contact");
    let limits = Limits { each: Duration::from_secs(3) };
    let pipeline = pipeline(&text);
    let asking = probe(&pipeline, limits);
    let rows = tokio::time::timeout(Duration::from_secs(20), asking).await.unwrap();
    let expected = [
        "connection: store-unreachable",
        "brokers: kafka-unreachable",
        "login: salesforce-check-failed",
    ];
    assert_eq!(shown(&rows), expected);
    let place = rows[1].answer.as_ref().unwrap_err().place.unwrap();
    assert_eq!(pipeline.files().slice(place), "\"127.0.0.1:1\"");
}
