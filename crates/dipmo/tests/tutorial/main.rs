//! `docs/guide/kafka-to-salesforce.md` is true: bash types it, with the programs that it names, a real Kafka and a
//! simulated Salesforce in processes of their own. `DIPMO_RENEW=1 cargo test -p dipmo --test tutorial` writes what is
//! printed anew.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod desk;
#[path = "../starting/page.rs"]
mod page;
#[path = "../fire/parts/postgres.rs"]
mod postgres;
mod salesforce;
mod shell;

use desk::Desk;
use dipmo_kafka::testing::{self, OwnBroker};
use postgres::Database;

#[test]
fn the_tutorial_goes_as_it_says() {
    if salesforce::is_asked_for() {
        return salesforce::run();
    }
    // The page has names of its own for topic and group, so it gets a broker of its own.
    let broker = OwnBroker::start();
    let kafka = broker.options();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let topic = testing::create(&kafka, "customers", 3, &[]);
    let (database, ()) = runtime.block_on(async { tokio::join!(Database::create(), topic) });
    let mut desk = Desk::new(&kafka.bootstrap_servers, &database.url());
    page::follow("kafka-to-salesforce.md", &mut desk);
    let customers = runtime.block_on(async {
        let client = database.client().await;
        client.query_one("select count(*) from CUSTOMERS", &[]).await.unwrap().get::<_, i64>(0)
    });
    assert_eq!(customers, 0, "the page makes the tables in PostgreSQL, and runs nothing there");
}
