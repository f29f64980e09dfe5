//! A connection past the store, as a person has.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::Value;
use tokio_postgres::{Client, SimpleQueryMessage};

/// Nothing here takes so long unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) enum Look {
    Postgres(Client),
    Sqlite(rusqlite::Connection),
}

impl Look {
    pub(crate) fn sqlite(file: &Path) -> Self {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.busy_timeout(Duration::from_secs(30)).unwrap();
        Self::Sqlite(connection)
    }

    /// Rows as texts, NULL being an empty one.
    pub(crate) async fn rows(&self, query: &str) -> Vec<Vec<String>> {
        match self {
            Self::Postgres(client) => {
                let answers = client.simple_query(query).await.unwrap();
                let rows = answers.iter().filter_map(|answer| match answer {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
                rows.map(|row| (0..row.len()).map(|at| text(row.get(at))).collect()).collect()
            }
            Self::Sqlite(connection) => sqlite_rows(connection, query),
        }
    }

    /// The one number that a query answers.
    pub(crate) async fn number(&self, query: &str) -> usize {
        self.rows(query).await[0][0].parse().unwrap()
    }

    /// Waits until a query finds nothing any more.
    pub(crate) async fn until_none(&self, what: &str, query: &str) {
        let none = async {
            while !self.rows(query).await.is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        // Ten times as much to do takes longer.
        let patience = if super::full() { PATIENCE * 10 } else { PATIENCE };
        if tokio::time::timeout(patience, none).await.is_err() {
            panic!("still {what}: {:?}", self.rows(query).await);
        }
    }

    /// Every message that ended, as often as it did.
    pub(crate) const fn ended_messages(&self) -> &'static str {
        match self {
            Self::Postgres(_) => {
                "select unnest(ids) as ID, OUTCOME from inbox_done \
                 union all select ID, OUTCOME from inbox_exception where STATUS <> 'SERDE_ERROR'"
            }
            Self::Sqlite(_) => {
                "select ID, OUTCOME from inbox_done \
                 union all select ID, OUTCOME from inbox_exception where STATUS <> 'SERDE_ERROR'"
            }
        }
    }

    /// Every unit that ended, as often as it did.
    pub(crate) const fn ended_units(&self) -> &'static str {
        match self {
            Self::Postgres(_) => {
                "select unnest(ids) as ID from outbox_done \
                 union all select ID from outbox_exception where STATUS = 'DISPATCHED'"
            }
            Self::Sqlite(_) => {
                "select ID from outbox_done \
                 union all select ID from outbox_exception where STATUS = 'DISPATCHED'"
            }
        }
    }
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, is: impl AsyncFn() -> bool) {
    let so = async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, so).await.is_ok(), "never {what}");
}

fn sqlite_rows(connection: &rusqlite::Connection, query: &str) -> Vec<Vec<String>> {
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let text = |value| match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => String::from_utf8(bytes).unwrap(),
    };
    let rows =
        statement.query_map([], |row| (0..columns).map(|at| row.get(at).map(text)).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}
