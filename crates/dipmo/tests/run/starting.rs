//! Before anything runs: who waits for the database says that it lives, and what it waits for.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

use crate::postgres::Database;
use crate::service::{PATIENCE, Service, dipmo, file, said};

const CONFIG: &str = "
dipmo: 1
store: {postgres: '${env:DATABASE_URL}'}
";

/// The lock that one instance at a time migrates under.
const LOCK: &str = "pg_advisory_lock(hashtext('dipmo'), hashtext(current_schema()))";
const UNLOCK: &str = "pg_advisory_unlock(hashtext('dipmo'), hashtext(current_schema()))";

fn start(variables: &[(&str, &str)]) -> Service {
    let program = Path::new(env!("CARGO_BIN_EXE_dipmo"));
    let config = file("run-starting.yaml", CONFIG);
    let overlay = file("run-starting-less.yaml", "engine: {workers: {max: 1}}\n");
    Service::start_program(program, "process,publish", &[&config, &overlay], variables)
}

async fn is_untouched(database: &Database) -> bool {
    let text = "select to_regclass('dipmo_migration') is null";
    database.client().await.query_one(text, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_migration_lives_and_asks_its_manager_for_time() {
    let database = Database::create().await;
    let (url, somebody) = (database.url(), database.client().await);
    somebody.batch_execute(&format!("select {LOCK}")).await.unwrap();
    let name = format!("dipmo-starting-{}", std::process::id());
    let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let service = start(&[("DATABASE_URL", &url), ("NOTIFY_SOCKET", &format!("@{name}"))]);

    let ready = service.until_told("/ready", |asked| asked.body.contains("brought up to date"));
    assert_eq!(ready.status, 503, "{}", ready.body);
    assert!(ready.body.contains(r#""name":"starting""#), "{}", ready.body);
    assert_eq!(service.until_told("/live", |_| true).status, 200);
    let mut heard = [0; 512];
    let length = tokio::task::block_in_place(|| manager.recv(&mut heard)).unwrap();
    assert_eq!(&heard[..length], b"EXTEND_TIMEOUT_USEC=60000000");
    assert!(is_untouched(&database).await, "somebody else has the lock");

    somebody.batch_execute(&format!("select {UNLOCK}")).await.unwrap();
    service.until_ready();
    service.ends_well();
}

#[test]
fn who_waits_for_a_database_that_is_not_there_lives_and_can_be_stopped() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let service = start(&[("DATABASE_URL", &format!("postgres://dipmo:hidden@{nobody}/dipmo"))]);
    let ready = service.until_told("/ready", |asked| asked.body.contains("store-unreachable"));
    assert_eq!(ready.status, 503, "{}", ready.body);
    assert!(!ready.body.contains("hidden"), "{}", ready.body);
    assert_eq!(service.until_told("/live", |_| true).status, 200);
    service.ends_well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_health_port_that_somebody_has_is_said_before_anything_is_changed() {
    let database = Database::create().await;
    let somebody = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = somebody.local_addr().unwrap().to_string();
    let config = file("run-starting-taken.yaml", CONFIG).display().to_string();
    let words = ["run", "--config", &config, "--health", &taken];
    let output = dipmo(&words).env("DATABASE_URL", database.url()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let expected = format!("the health port {taken} cannot be had");
    assert!(said(&output).contains(&expected), "{}", said(&output));
    assert!(is_untouched(&database).await);
}
