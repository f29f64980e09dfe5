//! TLS to a real server: who is let in, who is not, and what is said then.

use dipmo_domain::StoreError;
use dipmo_store::{Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};

use crate::support::own_server::OwnServer;
use crate::support::server::Server;

/// All connections of dipmo, and how many of them are encrypted.
const ENCRYPTED: &str = "select count(*), count(*) filter (where ssl) from pg_stat_activity join pg_stat_ssl using (pid) \
                         where application_name = 'dipmo'";

/// Whether the connection that asks is encrypted.
const AM_I: &str = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";

async fn is_encrypted(url: &str) -> Result<bool, StoreError> {
    let client = PostgresOptions::new(url).client().await?;
    Ok(client.query_one(AM_I, &[]).await.unwrap().get(0))
}

/// Why it does not connect.
async fn refusal(url: &str) -> String {
    let Err(error) = PostgresStore::connect(&PostgresOptions::new(url)).await else {
        panic!("it was let in: {url}");
    };
    error.to_string()
}

#[tokio::test]
async fn a_url_says_whether_a_connection_is_encrypted_and_whom_it_trusts() {
    let server = OwnServer::start();
    let ca = "sslrootcert={}/ca.pem";
    for (host, tls, expected) in [
        ("localhost", String::new(), true),
        ("localhost", "sslmode=prefer".to_owned(), true),
        ("localhost", "sslmode=disable".to_owned(), false),
        ("127.0.0.1", "sslmode=require".to_owned(), true),
        ("127.0.0.1", format!("sslmode=require&{ca}"), true),
        ("127.0.0.1", format!("sslmode=verify-ca&{ca}"), true),
        ("localhost", format!("sslmode=verify-full&{ca}"), true),
    ] {
        let url = server.url("dipmo", host, &tls);
        assert_eq!(is_encrypted(&url).await.unwrap(), expected, "{host} {tls}");
    }
    for (host, tls, why) in [
        ("127.0.0.1", format!("sslmode=verify-full&{ca}"), "not valid for name"),
        ("localhost", "sslmode=verify-full".to_owned(), "UnknownIssuer"),
        ("localhost", "sslmode=verify-ca&sslrootcert=system".to_owned(), "UnknownIssuer"),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert={}/stranger.pem".to_owned(),
            "UnknownIssuer",
        ),
        ("localhost", "sslmode=require&sslrootcert={}/stranger.pem".to_owned(), "UnknownIssuer"),
        ("localhost", "sslmode=verify-ca&sslrootcert={}/names".to_owned(), "no certificate in it"),
    ] {
        let said = refusal(&server.url("dipmo", host, &tls)).await;
        assert!(said.contains(why), "{host} {tls}: {said}");
    }
}

#[tokio::test]
async fn a_store_works_inside_of_tls_with_all_of_its_connections() {
    let server = OwnServer::start();
    let url = server.url("dipmo", "localhost", "sslmode=verify-full&sslrootcert={}/ca.pem");
    let store = PostgresStore::connect(&PostgresOptions::new(&url)).await.unwrap();
    store.migrate(&Tables::default()).await.unwrap();
    let client = PostgresOptions::new(&url).client().await.unwrap();
    // More than a record of TLS has room for, there and back.
    let long = "x".repeat(5_000_000);
    let back: String = client.query_one("select $1 || '!'", &[&long]).await.unwrap().get(0);
    assert_eq!(back.len(), long.len() + 1);
    let row = client.query_one(ENCRYPTED, &[]).await.unwrap();
    let (all, encrypted): (i64, i64) = (row.get(0), row.get(1));
    assert!(all >= 2 && encrypted == all, "{encrypted} of {all}");
}

#[tokio::test]
async fn a_client_shows_its_certificate() {
    let server = OwnServer::start();
    let shown = "sslmode=require&sslcert={}/guarded.pem&sslkey={}/guarded.key";
    assert!(is_encrypted(&server.url("guarded", "localhost", "sslmode=require")).await.is_err());
    // The user does not exist, and is asked for only behind the certificate.
    let said = refusal(&server.url("guarded", "localhost", shown)).await;
    assert!(said.contains("role \"guarded\" does not exist"), "{said}");
    let admin = PostgresOptions::new(&server.url("dipmo", "localhost", "")).client().await.unwrap();
    admin.batch_execute("create role guarded login").await.unwrap();
    assert!(is_encrypted(&server.url("guarded", "localhost", shown)).await.unwrap());
    let other = shown.replace("guarded.key", "server.key");
    let said = refusal(&server.url("guarded", "localhost", &other)).await;
    assert!(said.contains("sslkey") && !said.contains("PRIVATE"), "{said}");
}

#[tokio::test]
async fn who_wants_tls_of_a_server_that_has_none_is_told_so() {
    let url = format!("{}?sslmode=require", Server(15).url());
    let said = refusal(&url).await;
    assert!(said.contains("server does not support TLS"), "{said}");
}
