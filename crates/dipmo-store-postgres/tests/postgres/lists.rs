//! What lists find and what they cost, on tables with a history: pages put together are all that there is, and
//! none of them reads more than so many rows.

use std::collections::BTreeSet;

use crate::support::database::Database;
use crate::support::server::Server;
use dipmo_domain::{
    Destination, Fingerprint, InboxId, InboxStatus, OutboxId, OutboxStatus, StoreError, Timestamp,
};
use dipmo_store::Store as _;
use dipmo_store::admin::{Browse, InstanceFilter, Listing, MessageFilter, Page, UnitFilter, Waits};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;
use tokio_postgres::Client;

/// When messages came: two from between, and the last.
type Times = [Option<Timestamp>; 3];

/// More than a page ever reads, and less than there is: what a page looks through is read to find its end, to
/// compare it, and with the exception rows beside it.
const BOUNDED: i64 = 40_000;

#[tokio::test(flavor = "multi_thread")]
async fn postgres_15_lists_by_index() {
    lists(Server(15)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_18_lists_by_index() {
    lists(Server(18)).await;
}

async fn lists(server: Server) {
    let database = Database::create(server).await;
    open(&database).await.migrate(&suite_tables()).await.unwrap();
    let client = database.client().await;
    client.batch_execute(include_str!("support/lists.sql")).await.unwrap();
    // What the server does by itself, but later: ranges of an index are summarised.
    client.batch_execute("vacuum outbox_log").await.unwrap();
    let mut wrong = Vec::new();
    let times =
        [at(&client, 100_001).await, at(&client, 130_001).await, at(&client, 204_001).await];
    for (filter, condition) in message_filters(times) {
        wrong.extend(check_messages(&database, &filter, condition).await);
    }
    for (filter, condition) in unit_filters(times) {
        wrong.extend(check_units(&database, &filter, condition).await);
    }
    wrong.extend(check_others(&database).await);
    assert!(wrong.is_empty(), "{server:?}\n{}", wrong.join("\n"));
}

/// Filters, and what each means for INBOX.
fn message_filters([since, until, _]: Times) -> Vec<(MessageFilter, &'static str)> {
    let all = MessageFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let times = "received_at >= (select received_at from inbox_log where id = 100001) \
                 and received_at < (select received_at from inbox_log where id = 130001) \
                 and event_type = 'E-3'";
    let status = |status: &[InboxStatus]| MessageFilter { status: status.to_vec(), ..all() };
    use InboxStatus::{Failed, Processed, Received, Retry};
    vec![
        (MessageFilter { topic: text("nowhere"), ..all() }, "false"),
        (MessageFilter { event_type: text("E-3"), ..all() }, "event_type = 'E-3'"),
        (status(&[Received]), "status = 'RECEIVED'"),
        (
            MessageFilter { event_type: text("E-5"), ..status(&[Received, Failed]) },
            "status in ('RECEIVED', 'FAILED') and event_type = 'E-5'",
        ),
        (status(&[Failed]), "status = 'FAILED'"),
        (status(&[Failed, Retry]), "status in ('FAILED', 'RETRY')"),
        (
            MessageFilter { event_type: text("E-4"), ..status(&[Processed]) },
            "status = 'PROCESSED' and event_type = 'E-4'",
        ),
        (MessageFilter { waits: Some(Waits::Held), ..all() }, "held"),
        (MessageFilter { waits: Some(Waits::Parked), ..all() }, "parked_until is not null"),
        (MessageFilter { error_code: text("C-1"), ..all() }, "error_code = 'C-1'"),
        (
            MessageFilter { failure: Some(Fingerprint(77)), ..all() },
            "fingerprint = 77 and status <> 'PROCESSED'",
        ),
        (MessageFilter { failure: Some(Fingerprint(78)), ..all() }, "false"),
        (MessageFilter { aggregate: text("A-77"), ..all() }, "aggregate_id = 'A-77'"),
        (
            MessageFilter { aggregate: text("hot"), event_type: text("E-0"), ..all() },
            "aggregate_id = 'hot' and event_type = 'E-0'",
        ),
        (MessageFilter { message_id: text("m-777"), ..all() }, "message_id = 'm-777'"),
        (MessageFilter { text: text("\"77777\""), ..all() }, "message_id = 'm-77777'"),
        (MessageFilter { since, until, event_type: text("E-3"), ..all() }, times),
    ]
}

/// Filters, and what each means for OUTBOX without records and for OUTBOX_RECORD, with their intent as `i`.
fn unit_filters([since, until, last]: Times) -> Vec<(UnitFilter, &'static str)> {
    let all = UnitFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let times = "i.created_at >= (select received_at from inbox_log where id = 100001) \
                 and i.created_at < (select received_at from inbox_log where id = 130001) \
                 and i.event_type = 'E-1'";
    let status = |status: &[OutboxStatus]| UnitFilter { status: status.to_vec(), ..all() };
    let destination = "KAFKA:t1".parse::<Destination>().ok();
    use OutboxStatus::{Dispatched, Failed, Pending};
    vec![
        (UnitFilter { event_type: text("nothing"), ..all() }, "false"),
        (UnitFilter { event_type: text("E-1"), ..all() }, "i.event_type = 'E-1'"),
        (status(&[Pending]), "u.status = 'PENDING'"),
        (
            UnitFilter { destination, ..status(&[Pending]) },
            "u.status = 'PENDING' and u.destination = 'KAFKA:t1'",
        ),
        (status(&[Failed]), "u.status = 'FAILED'"),
        (
            UnitFilter { event_type: text("E-5"), ..status(&[Dispatched]) },
            "u.status = 'DISPATCHED' and i.event_type = 'E-5'",
        ),
        (UnitFilter { waits: Some(Waits::Held), ..all() }, "u.held"),
        (UnitFilter { waits: Some(Waits::Parked), ..all() }, "false"),
        (UnitFilter { error_code: text("C-1"), ..all() }, "u.error_code = 'C-1'"),
        (
            UnitFilter { failure: Some(Fingerprint(77)), ..all() },
            "u.fingerprint = 77 and u.status <> 'DISPATCHED'",
        ),
        (UnitFilter { aggregate: text("A-77"), ..all() }, "i.aggregate_id = 'A-77'"),
        (
            UnitFilter { aggregate: text("hot"), event_type: text("E-0"), ..all() },
            "i.aggregate_id = 'hot' and i.event_type = 'E-0'",
        ),
        (UnitFilter { record: text("R-777001"), ..all() }, "false"),
        (UnitFilter { record: text("R-77001"), ..all() }, "u.id = 77501"),
        (UnitFilter { intent: Some(OutboxId(77_001)), ..all() }, "u.id = 77501"),
        (UnitFilter { intent: Some(OutboxId(77_002)), ..all() }, "u.id = 77002"),
        (UnitFilter { cause: Some(InboxId(77_011)), ..all() }, "u.id = 77511"),
        (UnitFilter { text: text("R-77011"), ..all() }, "u.id = 77511"),
        (UnitFilter { since, until, event_type: text("E-1"), ..all() }, times),
        (
            UnitFilter { until: last, aggregate: text("many"), ..all() },
            "i.aggregate_id = 'many' and i.id <> 204001",
        ),
    ]
}

async fn check_messages(
    database: &Database,
    filter: &MessageFilter,
    condition: &str,
) -> Vec<String> {
    let text = format!("select id from inbox where {condition} order by id desc");
    let list = async |store: &PostgresStore, page| store.messages(filter, page).await;
    check(database, &format!("{filter:?}"), &text, list, |line| line.id.0).await
}

async fn check_units(database: &Database, filter: &UnitFilter, condition: &str) -> Vec<String> {
    let text = format!(
        "select u.id from outbox u join outbox_log i on i.id = u.id \
         where u.records is null and {condition} \
         union all \
         select u.id from outbox_record u join outbox_log i on i.id = u.outbox_id where {condition} \
         order by id desc"
    );
    let list = async |store: &PostgresStore, page| store.units(filter, page).await;
    check(database, &format!("{filter:?}"), &text, list, |line| line.id.0).await
}

/// Compares all pages of a list with what a query finds, and looks at what the first page costs and one in between.
async fn check<T>(
    database: &Database,
    what: &str,
    query: &str,
    list: impl AsyncFn(&PostgresStore, Page) -> Result<Listing<T>, StoreError>,
    id: impl Fn(&T) -> i64,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for page in [Page::first(50), Page { limit: 50, before: Some(120_000) }] {
        let one = async |store: &PostgresStore| drop(list(store, page).await.unwrap());
        let why = too_dear(database, one).await;
        wrong.extend(why.map(|why| format!("{what}, {page:?}: {why}")));
    }
    let rows = database.client().await.query(query, &[]).await.unwrap();
    let wanted: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let store = open(database).await;
    let found = all_pages(async |page| list(&store, page).await, id).await;
    wrong.extend((found != wanted).then(|| difference(what, &found, &wanted)));
    wrong
}

/// What has no filter of its own.
async fn check_others(database: &Database) -> Vec<String> {
    let newest = async |store: &PostgresStore| {
        store.messages(&MessageFilter::default(), Page::first(500)).await.unwrap();
        store.units(&UnitFilter::default(), Page::first(500)).await.unwrap();
    };
    let one = async |store: &PostgresStore| {
        assert!(store.message(InboxId(77_001)).await.unwrap().is_some());
        assert_eq!(store.intent(OutboxId(77_501)).await.unwrap().unwrap().id, OutboxId(77_001));
        let caused = store.caused_by(&[InboxId(77_001), InboxId(150_001)], 50).await.unwrap();
        let caused: Vec<OutboxId> = caused.iter().map(|intent| intent.id).collect();
        assert_eq!(caused, [OutboxId(77_001), OutboxId(150_001)]);
    };
    let instances = async |store: &PostgresStore| {
        store.migrate(&suite_tables()).await.unwrap();
        let filter = InstanceFilter { state: Some("ENDED".to_owned()), ..Default::default() };
        let page = store.instances("SUITE", &filter, None, 50).await.unwrap();
        assert!(page.rows.is_empty() && page.next.is_some(), "20,000 of 50,000 were looked at");
    };
    let mut wrong = Vec::new();
    wrong.extend(too_dear(database, newest).await.map(|why| format!("the newest: {why}")));
    wrong.extend(too_dear(database, one).await.map(|why| format!("one thing: {why}")));
    wrong.extend(too_dear(database, instances).await.map(|why| format!("instances: {why}")));
    wrong
}

/// Every page of a list, one after the other; each goes further down, and says how far.
async fn all_pages<T>(
    list: impl AsyncFn(Page) -> Result<Listing<T>, StoreError>,
    id: impl Fn(&T) -> i64,
) -> Vec<i64> {
    let (mut found, mut page) = (Vec::new(), Page::first(500));
    loop {
        let listing = list(page).await.unwrap();
        found.extend(listing.rows.iter().map(&id));
        assert_eq!(listing.next.is_some(), listing.searched_to.is_some());
        let Some(next) = listing.next else { return found };
        assert!(page.before.is_none_or(|before| next < before), "{next} after {page:?}");
        page.before = Some(next);
    }
}

/// Why a use of the store costs too much: it read a table from its beginning to its end, or too many rows. What the
/// server cleans up meanwhile is counted as well, but does not come twice.
async fn too_dear(database: &Database, run: impl AsyncFn(&PostgresStore)) -> Option<String> {
    let mut why = None;
    for _ in 0..2 {
        let (scanned, read) = cost(database, &run).await;
        if scanned == 0 && read <= BOUNDED {
            return None;
        }
        why = Some(format!("{scanned} rows of scans, {read} in all"));
    }
    why
}

async fn cost(database: &Database, run: &impl AsyncFn(&PostgresStore)) -> (i64, i64) {
    // A session tells its figures when it ends.
    database.disconnect_all().await;
    let before = costs(database).await;
    let store = open(database).await;
    run(&store).await;
    drop(store);
    database.disconnect_all().await;
    let after = costs(database).await;
    (after.0 - before.0, after.1 - before.1)
}

/// How many rows of tables that grow with history were read, by scans of whole tables and in all.
async fn costs(database: &Database) -> (i64, i64) {
    let text = "select sum(seq_tup_read)::int8, sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int8 \
                from pg_stat_user_tables where relname ~ '_(log|exception|ready|done|process|progress|dedupe)(_|$)'";
    let row = database.client().await.query_one(text, &[]).await.unwrap();
    (row.get(0), row.get(1))
}

async fn at(client: &Client, id: i64) -> Option<Timestamp> {
    let text =
        "select (extract(epoch from received_at) * 1000000)::int8 from inbox_log where id = $1";
    let row = client.query_one(text, &[&id]).await.unwrap();
    Timestamp::from_micros(row.get(0))
}

async fn open(database: &Database) -> PostgresStore {
    PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap()
}

fn difference(what: &str, found: &[i64], wanted: &[i64]) -> String {
    let (set, other): (BTreeSet<_>, BTreeSet<_>) =
        (found.iter().collect(), wanted.iter().collect());
    let some = |ids: BTreeSet<&i64>| ids.into_iter().take(5).copied().collect::<Vec<_>>();
    format!(
        "{what}: {} found, {} there; missing {:?}, too many {:?}",
        found.len(),
        wanted.len(),
        some(other.difference(&set).copied().collect()),
        some(set.difference(&other).copied().collect()),
    )
}
