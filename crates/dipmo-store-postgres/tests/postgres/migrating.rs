//! Migrations run one at a time, whoever starts them.

use dipmo_store::{Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};

use crate::support::database::Database;
use crate::support::server::Server;

#[tokio::test]
async fn a_migration_waits_for_the_one_that_runs() {
    let database = Database::create(Server(15)).await;
    let other = database.client().await;
    let lock = "select pg_advisory_lock(hashtext('dipmo'), hashtext(current_schema()))";
    other.query(lock, &[]).await.unwrap();
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    let migration = tokio::spawn(async move { store.migrate(&Tables::default()).await });
    let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted \
                   and database = (select oid from pg_database where datname = current_database())";
    while other.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        assert!(!migration.is_finished(), "it did not wait");
        tokio::task::yield_now().await;
    }
    other.query(&lock.replace("advisory_lock", "advisory_unlock"), &[]).await.unwrap();
    assert!(!migration.await.unwrap().unwrap().is_empty());
}
