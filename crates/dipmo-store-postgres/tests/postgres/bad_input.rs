//! What a stranger gets for a wrong URL, a wrong password, a database that cannot be written: a
//! clear error with a code, and nothing lost.

use crate::support::database::Database;
use crate::support::fixture::Postgres;
use crate::support::server::Server;
use dipmo_domain::{Coded as _, StoreError};
use dipmo_inbox::Inbox as _;
use dipmo_store::{Store as _, Tables};
use dipmo_store_postgres::{MIGRATIONS, PostgresOptions, PostgresStore};
use dipmo_store_tests::Fixture as _;
use dipmo_store_tests::support::{Script, batch, event};

async fn refusal(url: &str) -> StoreError {
    let options = PostgresOptions::new(url);
    PostgresStore::connect(&options).await.err().unwrap_or_else(|| panic!("connected"))
}

#[tokio::test]
async fn a_url_that_is_none_is_refused() {
    for url in ["", "not a url", "postgres://h:port/db", "mysql://h/db"] {
        let error = refusal(url).await;
        assert_eq!(error.code().as_str(), "store-url-invalid", "{url:?}: {error}");
    }
}

#[tokio::test]
async fn nobody_at_that_address() {
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refusal(&format!("postgres://u:s3cret@127.0.0.1:{free}/db")).await;
    assert_eq!(error.code().as_str(), "store-unreachable");
    let said = error.to_string();
    assert!(said.contains(&free.to_string()) && said.contains("refused"), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
}

#[tokio::test]
async fn a_wrong_password_or_user_or_database() {
    let url = Server(15).url();
    let (head, tail) = url.rsplit_once('@').unwrap();
    let (user, _) = head.rsplit_once(':').unwrap();
    let error = refusal(&format!("{user}:wr0ng@{tail}")).await;
    assert_eq!(error.code().as_str(), "store-auth-failed");
    assert!(error.to_string().contains("dipmo") && !error.to_string().contains("wr0ng"), "{error}");
    let error = refusal(&url.replace("/postgres", "/no_such_database")).await;
    assert_eq!(error.code().as_str(), "store-url-invalid");
    assert!(error.to_string().contains("no_such_database"), "{error}");
}

#[tokio::test]
async fn a_schema_that_was_never_made() {
    let database = Database::create(Server(15)).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    assert_eq!(store.check_schema().await.unwrap_err().code().as_str(), "schema-missing");
    let error = store.store(&[event("F-1", 1)], &[]).await.unwrap_err();
    assert_eq!(error.code().as_str(), "schema-missing");
}

#[tokio::test]
async fn a_migration_that_was_changed_or_is_newer() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, client) = (fixture.store(), fixture.client().await);
    client
        .batch_execute("update dipmo_migration set checksum = 'another' where version = 1")
        .await
        .unwrap();
    let error = store.migrate(&Tables::default()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "migration-changed");
    let restore = format!(
        "update dipmo_migration set checksum = '{}' where version = 1",
        MIGRATIONS[0].checksum()
    );
    client.batch_execute(&restore).await.unwrap();

    let newer = "insert into dipmo_migration (version, name, checksum, breaks_older) values (900, 'x', 'x', ";
    client.batch_execute(&format!("{newer} false)")).await.unwrap();
    assert_eq!(store.check_schema().await, Ok(()), "an additive step of a newer version is fine");
    client
        .batch_execute("update dipmo_migration set breaks_older = true where version = 900")
        .await
        .unwrap();
    assert_eq!(store.check_schema().await.unwrap_err().code().as_str(), "schema-newer");
    assert_eq!(
        store.migrate(&Tables::default()).await.unwrap_err().code().as_str(),
        "schema-newer"
    );
}

#[tokio::test]
async fn a_database_that_is_read_only_loses_nothing() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fixture.store().store(&[event("F-1", 1)], &[]).await.unwrap();
    let name: String =
        client.query_one("select current_database()::text", &[]).await.unwrap().get(0);
    client
        .batch_execute(&format!("alter database {name} set default_transaction_read_only = on"))
        .await
        .unwrap();
    let store = PostgresStore::connect(&PostgresOptions::new(&fixture.url())).await.unwrap();
    let error = store.store(&[event("F-1", 2)], &[]).await.unwrap_err();
    assert_eq!(error.code().as_str(), "store-read-only");
    assert!(error.is_transient());
    let error = batch(&store, Script::process_all()).await.err().unwrap();
    assert_eq!(error.code().as_str(), "store-read-only");

    client
        .batch_execute(&format!(
            "set transaction read write; alter database {name} reset default_transaction_read_only"
        ))
        .await
        .unwrap();
    let store = fixture.store();
    store.store(&[event("F-1", 2)], &[]).await.unwrap();
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids().len(), 2);
}

/// A disk cannot be filled here without harm to others; the database is made to say so instead, at
/// the statement that would need the room.
#[tokio::test]
async fn a_database_that_says_it_is_full_loses_nothing() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, client) = (fixture.store(), fixture.client().await);
    client
        .batch_execute(
            "create function full_disk() returns trigger language plpgsql as $$
             begin raise exception using errcode = '53100', message = 'No space left on device'; end $$;
             create trigger full_disk before insert on inbox_log for each row execute function full_disk()",
        )
        .await
        .unwrap();
    let error = store.store(&[event("F-1", 1)], &[]).await.unwrap_err();
    assert_eq!(error.code().as_str(), "store-full");
    assert!(error.is_transient());
    assert_eq!(store.inbox_rows(10).await.unwrap(), []);
    client.batch_execute("drop function full_disk() cascade").await.unwrap();
    let answer = store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert!(matches!(answer[..], [dipmo_inbox::Stored::New(_)]), "the same message is still new");
}
