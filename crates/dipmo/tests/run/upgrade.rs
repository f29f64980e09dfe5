//! A rolling upgrade, and the way back: the previous version and this one side by side on one database.

use std::path::{Path, PathBuf};

use dipmo_kafka::testing;
use tokio_postgres::Client;

use crate::hits::{PROCESSED, told};
use crate::sending::Sending;
use crate::service::{Service, file};
use crate::stage::Stage;

const OVERLAY: &str = "
engine: {workers: {max: 2, batch: 100}}
sources: {ihub: {properties: {session.timeout.ms: 6000}}}
";

const REVIEWS: &str = "select count(*) from reviews where status = 'OPEN'";

/// How many hits each pair of versions has to bring to an end.
const SOME: i64 = 150;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_previous_version_and_this_one_share_a_database_up_and_down_again() {
    let stage = Stage::set(4).await;
    let variables = stage.variables();
    // The file is that of the previous version: it must not have to change with the program.
    let (previous, this) = (previous(), Path::new(env!("CARGO_BIN_EXE_dipmo")));
    let config = previous.join("examples/hits/dipmo.yaml");
    let (previous, overlay) = (previous.join("dipmo"), file("run-upgrade.yaml", OVERLAY));
    let start = |program: &Path| {
        let files = [config.as_path(), overlay.as_path()];
        Service::start_program(program, "consume,process,publish", &files, &variables)
    };
    let client = stage.database.client().await;
    let sending = Sending::start(stage.brokers());

    let old = start(&previous);
    let old = some_more(old, &client).await;
    // Up: the new one starts while the old one works, and they share the work. Where it has steps of the
    // schema that the old one has not, it applies them here.
    let new = some_more(start(this), &client).await;
    let old = some_more(old, &client).await;
    old.ends_well();
    let new = some_more(new, &client).await;
    // Down: the old one starts on what the new one has left, and on a schema that is ahead of it.
    get_ahead(&client).await;
    let old = some_more(start(&previous), &client).await;
    new.ends_well();
    let old = some_more(old, &client).await;
    let mut new = some_more(start(this), &client).await;
    old.ends_well();

    let hits = sending.stop();
    new.until_at_least(&client, hits, REVIEWS).await;
    let sent = "select count(*) from outbox where status = 'DISPATCHED'";
    new.until_at_least(&client, 4 * hits, sent).await;
    new.until_at_least(&client, 3 * hits, PROCESSED).await;
    new.ends_well();
    let events =
        tokio::task::block_in_place(|| testing::read_to_end_of(&stage.kafka, "hit-events"));
    let told = told(&events);
    assert_eq!(told.len(), usize::try_from(hits).unwrap());
    for (hit, events) in told {
        assert_eq!(events, ["HitQualified", "ReviewStarted"], "of {hit}");
    }
    let left = "select count(*) from inbox where status <> 'PROCESSED'";
    assert_eq!(client.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
}

/// Does what a step of a version to come may do: adds columns that may be empty to tables that are written
/// to all the time, under a number that neither version knows.
async fn get_ahead(client: &Client) {
    // One by one, as short as can be: instances are at work in all of them.
    for table in ["inbox_log", "outbox_log", "outbox_lane", "hit_process", "hits"] {
        let add = format!("alter table {table} add column of_the_future text");
        client.batch_execute(&add).await.unwrap();
    }
    let step = "insert into dipmo_migration (version, name, checksum, breaks_older) \
                select max(version) + 1, 'of_the_future', '0', false from dipmo_migration";
    client.batch_execute(step).await.unwrap();
}

/// Waits until an instance is ready and some more hits have come to their review.
async fn some_more(mut service: Service, client: &Client) -> Service {
    service.until_ready();
    let now = client.query_one(REVIEWS, &[]).await.unwrap().get::<_, i64>(0);
    service.until_at_least(client, now + SOME, REVIEWS).await;
    service
}

/// The folder of the previous version: `DIPMO_TEST_PREVIOUS`, else what `cargo xtask services previous` built.
fn previous() -> PathBuf {
    let folder = std::env::var_os("DIPMO_TEST_PREVIOUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/previous"),
        PathBuf::from,
    );
    let hint = "run `cargo xtask services previous`, or set DIPMO_TEST_PREVIOUS";
    assert!(folder.join("dipmo").exists(), "no previous version: {hint}");
    let program = |path: &Path| std::fs::read(path).unwrap();
    let is_this = program(&folder.join("dipmo")) == program(env!("CARGO_BIN_EXE_dipmo").as_ref());
    assert!(!is_this, "that is this version: {hint}");
    folder
}
