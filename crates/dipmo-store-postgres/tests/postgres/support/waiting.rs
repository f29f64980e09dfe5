//! Sessions that wait for a lock: the event that tests of races wait for.

use tokio_postgres::Client;

/// Returns when so many sessions of this database wait for a lock.
pub(crate) async fn until_waiting(client: &Client, sessions: i64) {
    let count = "select count(*) from pg_stat_activity \
                 where datname = current_database() and wait_event_type = 'Lock'";
    while client.query_one(count, &[]).await.unwrap().get::<_, i64>(0) < sessions {
        tokio::task::yield_now().await;
    }
}

/// Ends the session that waits for a lock, as if its process had been killed in a transaction.
pub(crate) async fn kill_who_waits(client: &Client) {
    let kill = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                where datname = current_database() and wait_event_type = 'Lock'";
    while client.query_one(kill, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        tokio::task::yield_now().await;
    }
}
