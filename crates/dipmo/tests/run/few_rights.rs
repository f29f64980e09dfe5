//! `dipmo run --no-migrate` as a login that may change rows and nothing else, on tables that others made.

use std::path::Path;
use std::process::Output;

use serde_json::json;
use tokio_postgres::Client;

use crate::hits::PROCESSED;
use crate::postgres::Database;
use crate::service::{Producer, Service, dipmo, example, file, said};
use crate::stage::Stage;

const OVERLAY: &str = "
engine: {workers: {max: 2}}
sources: {ihub: {properties: {session.timeout.ms: 6000}}}
";

/// All that could be changed but rows of work: tables and their columns, rights, and what was migrated.
const SCHEMA: &str = "select string_agg(line, E'\\n' order by line) from (
    select format('%s %s %s %s', c.relname, c.relkind, c.relacl, a.attname)
      from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace
    union all select dipmo_migration::text from dipmo_migration
    union all select format('%s %s', dipmo_definition, xmin) from dipmo_definition) as all_of_it(line)";

const MONTHS: &str = "select string_agg(format('drop table %I', relname), ';') from pg_class \
                      where relname ~ '_log_[0-9]{6}$' and relkind = 'r'";

const REVIEWS: &str = "select count(*) from reviews where status = 'OPEN'";

/// A login with the rights that the documentation names; it goes when this is dropped.
struct Login<'a> {
    name: String,
    owner: &'a Client,
}

impl<'a> Login<'a> {
    async fn create(owner: &'a Client) -> Self {
        let name = format!("dipmo_few_{}", std::process::id());
        let login = format!(
            "create role {name} login password 'hidden';
             revoke create on schema public from public;
             grant select, insert, update, delete on all tables in schema public to {name};
             grant usage on all sequences in schema public to {name}"
        );
        owner.batch_execute(&login).await.unwrap();
        Self { name, owner }
    }

    fn url(&self, database: &Database) -> String {
        let url = database.url();
        let (scheme, rest) = url.split_once("://").unwrap();
        format!("{scheme}://{}:hidden@{}", self.name, rest.split_once('@').unwrap().1)
    }

    async fn drop(self) {
        let drop = format!("drop owned by {0}; drop role {0}", self.name);
        self.owner.batch_execute(&drop).await.unwrap();
    }
}

fn migrate(url: &str) -> Output {
    let config = example("hits").display().to_string();
    dipmo(&["migrate", "apply", "--config", &config]).env("DATABASE_URL", url).output().unwrap()
}

async fn text(client: &Client, query: &str) -> String {
    client.query_one(query, &[]).await.unwrap().get(0)
}

fn send(stage: &Stage, numbers: std::ops::Range<u32>) {
    let producer = Producer::new(stage.brokers());
    for number in numbers {
        let hit = format!("H-{number}");
        let event = json!({"id": hit, "hitId": hit, "type": "NotificationReceived",
                           "notificationId": "N", "assessment": {"positive": true}});
        producer.send("notification-126", &hit, &event);
    }
    producer.flush();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_only_change_rows_runs_and_changes_nothing_else() {
    let stage = Stage::set(1).await;
    let owner = stage.database.client().await;
    let made = migrate(&stage.database.url());
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let login = Login::create(&owner).await;
    let url = login.url(&stage.database);
    let refused = migrate(&url);
    assert_eq!(refused.status.code(), Some(2), "the login has few rights: {}", said(&refused));

    let variables = [("DATABASE_URL", url.as_str()), ("KAFKA_BROKERS", stage.brokers())];
    let (config, overlay) = (example("hits"), file("run-few-rights.yaml", OVERLAY));
    let start = || {
        let program = Path::new(env!("CARGO_BIN_EXE_dipmo"));
        let (roles, files) = ("consume,process,publish", [config.as_path(), overlay.as_path()]);
        Service::start_words(program, roles, &files, &["--no-migrate"], &variables)
    };
    let before = text(&owner, SCHEMA).await;
    let mut service = start();
    send(&stage, 0..50);
    service.until_ready();
    service.until_at_least(&owner, 50, REVIEWS).await;
    service.until_at_least(&owner, 150, PROCESSED).await;
    service.ends_well();
    assert_eq!(text(&owner, SCHEMA).await, before);

    // Nobody made the months in time: what comes finds its place, and a migration puts it into order.
    owner.batch_execute(&text(&owner, MONTHS).await).await.unwrap();
    let without_months = text(&owner, SCHEMA).await;
    let mut service = start();
    send(&stage, 50..100);
    service.until_ready();
    service.until_at_least(&owner, 100, REVIEWS).await;
    service.until_at_least(&owner, 150, PROCESSED).await;
    service.ends_well();
    assert_eq!(text(&owner, SCHEMA).await, without_months);
    let made = migrate(&stage.database.url());
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let rest = owner.query_one("select count(*) from inbox_log_rest", &[]).await.unwrap();
    assert_eq!(rest.get::<_, i64>(0), 0);
    login.drop().await;
}
