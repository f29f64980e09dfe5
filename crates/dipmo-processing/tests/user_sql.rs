//! SQL of users that fails, in an engine on a database: it fails its message, and no other.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::sql::{CheckedQuery, CheckedStatement, Query, Statement, ValueKind};
use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{
    Context, Description, DomainWrite, FactRequest, MessageView, Process, Registry, Transition,
    events, states,
};
use dipmo_domain::{InboxStatus, Json};
use dipmo_inbox::{Identity, Inbox as _, InboxRow, NewMessage, Record};
use dipmo_processing::Engine;
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use serde::{Deserialize, Serialize};

states! {
    /// A seat is taken, or not yet.
    pub(crate) enum SeatState {
        /// Nothing came yet.
        New = "NEW",
        /// It is taken.
        Taken = "TAKEN",
    }
    initial New;
    New => Taken;
}

events! {
    /// What can come.
    pub(crate) enum SeatEvent {
        /// Somebody wants a seat.
        Take(Take) = "Take" v1,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Take {
    seat: String,
    price: i64,
}

/// Takes seats with a statement that the database refuses for a seat that is taken, and reads prices
/// with a query that fails for one of them.
struct Seats {
    table: Arc<DomainTable>,
    take: Arc<CheckedStatement>,
    amount: Arc<CheckedQuery>,
}

impl Seats {
    fn new() -> Self {
        let table = DomainTable {
            name: "SEATS",
            columns: vec![
                Column::new("SEAT", ColumnKind::Text(200)).required(),
                Column::new("AMOUNT", ColumnKind::Integer).required(),
            ],
            key: vec!["SEAT"],
            version: None,
        };
        let take = Statement {
            name: "take_seat",
            sql: "insert into SEATS (SEAT, AMOUNT) values (:seat, :amount)".to_owned(),
            parameters: vec![("seat", ValueKind::Text), ("amount", ValueKind::Integer)],
        };
        let amount = Query {
            name: "amount_of",
            sql: "select abs(:price) as AMOUNT".to_owned(),
            parameters: vec![("price", ValueKind::Integer)],
            columns: vec![("AMOUNT", ValueKind::Integer)],
        };
        let table = table.checked().unwrap();
        Self { table, take: take.checked().unwrap(), amount: amount.checked().unwrap() }
    }
}

impl Process for Seats {
    const NAME: &'static str = "SEAT";
    type State = SeatState;
    type Event = SeatEvent;
    type Data = ();

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_SEAT_STATE")
            .domain_table(&self.table)
            .query("amount", &self.amount)
            .statement(&self.take)
            .subscribe("seats")
    }

    fn facts(&self, SeatEvent::Take(take): &SeatEvent, _: &MessageView<'_>) -> Vec<FactRequest> {
        vec![FactRequest::new("amount", take.price)]
    }

    fn decide(
        &self,
        _: &SeatState,
        SeatEvent::Take(take): &SeatEvent,
        context: &Context<'_, ()>,
    ) -> Transition<SeatState, ()> {
        let amount = context.fact("amount").unwrap()["AMOUNT"].clone();
        let row = DomainWrite::run(Arc::clone(&self.take));
        let row = row.set("seat", take.seat.as_str()).set("amount", amount);
        Transition::advance(SeatState::Taken).write(row).into()
    }
}

fn message(n: i64, seat: &str, price: i64) -> NewMessage {
    let take = Take { seat: seat.to_owned(), price };
    let record = Record {
        topic: "seats".to_owned(),
        offset: n,
        timestamp_millis: -1,
        value: Some(serde_json::to_vec(&take).unwrap()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "test".to_owned(),
        message_id: Some(format!("{n}")),
        aggregate_id: Some(format!("P-{n}")),
        event_type: Some("Take".to_owned()),
        event_version: Some(1),
        ..Identity::default()
    };
    NewMessage::decoded(&record, &identity, Json::of(&take).unwrap())
}

async fn until_quiet(store: &SqliteStore) -> Vec<InboxRow> {
    let quiet = async {
        loop {
            let rows = store.inbox_rows(1_000).await.unwrap();
            let ended =
                |row: &InboxRow| matches!(row.status, InboxStatus::Processed | InboxStatus::Failed);
            if rows.iter().all(ended) {
                return rows;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), quiet).await.expect("it never got quiet")
}

#[tokio::test]
async fn trap_15_sql_that_fails_fails_its_message_and_no_other() {
    let store = SqliteStore::open(SqliteOptions::new("sqlite::memory:")).await.unwrap();
    let store = Arc::new(store);
    let seats = Seats::new();
    let table = Arc::clone(&seats.table);
    let registry = Arc::new(Registry::new().process(seats).unwrap());
    store.migrate(&Tables::of(&registry)).await.unwrap();
    let mut messages: Vec<_> = (0..60).map(|n| message(n, &format!("seat-{n}"), n)).collect();
    let dear = 41;
    // Two want the same seat. They are two aggregates, so that either may be first.
    messages[20] = message(20, "seat-3", 1);
    messages[41] = message(dear, "seat-41", i64::MIN);
    store.store(&messages, &[]).await.unwrap();
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn dipmo_store::Store>, registry);
    let stop = engine.stop_token();
    let task = tokio::spawn(engine.run());
    let rows = until_quiet(&store).await;
    stop.cancel();
    task.await.unwrap();
    let is_second = |row: &&InboxRow| {
        [3, 20].contains(&row.message.offset) && row.status == InboxStatus::Failed
    };
    let second: Vec<i64> = rows.iter().filter(is_second).map(|row| row.message.offset).collect();
    let [twice] = second[..] else { panic!("one of two has the seat: {second:?}") };
    for InboxRow { message, status, failure, .. } in &rows {
        let sql = match message.offset {
            n if n == twice => "statement take_seat (:seat, :amount)",
            n if n == dear => "query amount_of (:price)",
            n => {
                assert_eq!(*status, InboxStatus::Processed, "{n}");
                continue;
            }
        };
        let failure = failure.as_ref().unwrap();
        assert_eq!((*status, failure.code()), (InboxStatus::Failed, "sql-failed"));
        assert!(failure.message().contains(sql), "{}", failure.message());
        assert!(!failure.message().contains("seat-3"), "{}", failure.message());
    }
    assert_eq!(store.domain_rows(&table).await.unwrap().len(), 58);
}
