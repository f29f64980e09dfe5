//! SQL of users: what a batch of it costs, and how it is planned.

use dipmo_api::sql::ValueKind::{Integer, Text};
use dipmo_api::{DomainWrite, FactRequest};
use dipmo_store::{Changes, Needs, Settlement, Store, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::support::user_sql::{
    items_from, label, label_of, query, sql_tables, statement, write,
};
use dipmo_store_tests::support::{Script, batch, done};

use crate::plans::indexes_of;
use crate::round_trips::{events, store};
use crate::support::database::Database;
use crate::support::proxy::Proxy;
use crate::support::server::Server;

/// A query with values of its own and a statement for each message.
fn work() -> Script {
    let asks = |n: i64| FactRequest::with("items_from", vec![n.into(), "EU".into()]);
    Script::default().wave(
        move |batch| Needs {
            facts: batch.messages.iter().map(|m| asks(m.message.offset)).collect(),
            ..Needs::default()
        },
        |batch, _| Changes {
            writes: batch.messages.iter().map(|m| label(&m.message.message_id, "c")).collect(),
            settlements: batch
                .messages
                .iter()
                .map(|m| Settlement { message: m.message.id, kind: done() })
                .collect(),
            ..Changes::default()
        },
    )
}

/// The round trips of a batch of so many messages.
async fn trips(proxy: &Proxy, store: &dyn Store, first: i64, count: i64) -> usize {
    store.store(&events(first, count), &[]).await.unwrap();
    proxy.take();
    batch(store, work()).await.unwrap();
    proxy.take()
}

#[tokio::test(flavor = "current_thread")]
async fn a_batch_costs_the_same_for_one_query_and_statement_and_for_nine_hundred() {
    let (_database, proxy, store) = store().await;
    store.migrate(&sql_tables()).await.unwrap();
    let first = trips(&proxy, &*store, 0, 900).await;
    assert_eq!(first, 4 + 2, "each text is prepared once, however often it is sent");
    let (one, many) =
        (trips(&proxy, &*store, 1_000, 1).await, trips(&proxy, &*store, 2_000, 900).await);
    assert_eq!((one, many), (4, 4), "as without any SQL of users");
}

#[tokio::test(flavor = "current_thread")]
async fn a_look_up_is_one_round_trip_for_any_number_of_keys() {
    let (_database, proxy, store) = store().await;
    let fact = dipmo_api::FactDefinition::query_by("label", label_of(), "THE_KEY");
    let keys: Vec<_> = (0..900).map(|n| format!("L-{n}").into()).collect();
    store.look_up(&fact, &keys[..1]).await.unwrap();
    proxy.take();
    store.look_up(&fact, &keys).await.unwrap();
    assert_eq!(proxy.take(), 1);
}

#[tokio::test]
async fn what_cannot_be_cast_is_not_said() {
    let database = Database::create(Server(15)).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    let sql = "insert into SUITE_LABELS (LABEL_ID, WEIGHT) values ('x', :weight::int8)";
    let unweighed = statement("unweighed", sql, vec![("weight", Text)]);
    let tables = Tables { statements: vec![unweighed.clone()], ..sql_tables() };
    store.migrate(&tables).await.unwrap();
    let run = DomainWrite::run(unweighed).set("weight", "4111 1111");
    let error = write(&store, vec![run]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "statement unweighed (:weight) failed: invalid input syntax for type bigint: \"…\" \
         (SQLSTATE 22P02)"
    );
}

#[tokio::test]
async fn a_query_is_planned_by_index_whatever_stands_around_it() {
    let database = Database::create(Server(15)).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&sql_tables()).await.unwrap();
    let sql = "with mine as (select ITEM_NO, NAME from SUITE_ITEMS where REGION = :region) \
               select NAME, count(*) as N from mine group by NAME limit :most";
    let grouped =
        query("grouped", sql, vec![("region", Text), ("most", Integer)], vec![("NAME", Text)]);
    let filler = database.client().await;
    let fill = "insert into suite_items (region, item_no, revision) \
                select 'R' || n % 1000, n, 1 from generate_series(1, 20000) n; \
                insert into suite_labels (label_id) select 'L-' || n from generate_series(1, 20000) n; \
                analyze suite_items; analyze suite_labels";
    filler.batch_execute(fill).await.unwrap();
    // As the store sends it, and as the planner would have it if nobody held it back.
    for settings in [store.hot_settings(), "set plan_cache_mode = force_generic_plan".to_owned()] {
        let client = database.client().await;
        client.batch_execute(&settings).await.unwrap();
        for (query, index) in [
            (items_from(), "suite_items_pkey"),
            (label_of(), "suite_labels_pkey"),
            (grouped.clone(), "suite_items_pkey"),
        ] {
            let text = PostgresStore::query_text(&query);
            let found = indexes_of(&client, query.name(), &text).await;
            assert_eq!(
                found.into_iter().collect::<Vec<_>>(),
                [index],
                "{} {settings}",
                query.name()
            );
        }
    }
}
