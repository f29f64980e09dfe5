//! Bringing the schema up to date, from any number of instances at once.

use dipmo_domain::StoreError;
use dipmo_store::migration::{self, Applied, Migration};
use dipmo_store::{StateMapping, Tables};

use crate::moves::{self, Walk};
use crate::session::Session;
use crate::sql::{self, Call, Sql, params};
use crate::store::PostgresStore;
use crate::types::PgTime;
use crate::{ddl, definitions, history};

macro_rules! steps {
    ($($version:literal $name:literal $file:literal),+ $(,)?) => {
        /// The steps of the schema, oldest first. A step that was released is never changed.
        pub const MIGRATIONS: &[Migration] = &[$(Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../migrations/", $file)),
            breaks_older: false,
        }),+];
    };
}

steps! {
    1 "base" "0001_base.sql",
    2 "inbox" "0002_inbox.sql",
    3 "outbox" "0003_outbox.sql",
    4 "timers" "0004_timers.sql",
    5 "views" "0005_views.sql",
    6 "arrays" "0006_arrays.sql",
    7 "operators" "0007_operators.sql",
    8 "operators_release" "0008_operators_release.sql",
    9 "jobs" "0009_jobs.sql",
    10 "definitions" "0010_definitions.sql",
    11 "admin" "0011_admin.sql",
    12 "controls" "0012_controls.sql",
    13 "resend" "0013_resend.sql",
    14 "edits" "0014_edits.sql",
    15 "archive" "0015_archive.sql",
    16 "slo" "0016_slo.sql",
    17 "erased" "0017_erased.sql",
}

/// How many months after the current one get a partition.
const MONTHS_AHEAD: u8 = 2;

/// Where steps are written down; needed before the first of them.
pub(crate) const CREATE_LEDGER: &str = "
    create table if not exists dipmo_migration (
        version      integer      primary key,
        name         varchar(200) not null,
        checksum     varchar(64)  not null,
        breaks_older boolean      not null,
        applied_at   timestamptz  not null default now()
    )";

/// Applies what is left, makes or checks the tables of the processes, and moves instances out of
/// states that are gone: all in one transaction, and in as many more as there are instances to move,
/// so that nobody waits long for one of them. Each of them is undone as a whole when it fails.
pub(crate) async fn run(
    store: &PostgresStore,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<Vec<Applied>, StoreError> {
    mapping.check(tables)?;
    let mut walk = Walk::default();
    let mut new = Vec::new();
    while !walk.has_ended() {
        new.extend(once(store.report().await?, tables, mapping, &mut walk).await?);
    }
    for table in &tables.processes {
        let gone = mapping.gone(table.process);
        if !gone.is_empty() {
            moves::forget(store.report().await?, table, &gone).await?;
        }
    }
    Ok(new)
}

/// One transaction of [`run`]. What takes long comes first and needs no lock: DDL locks a table until
/// the end of its transaction.
async fn once(
    mut session: Session,
    tables: &Tables,
    mapping: &StateMapping,
    walk: &mut Walk,
) -> Result<Vec<Applied>, StoreError> {
    session.run(open()).await?;
    execute(&session, "migrate", CREATE_LEDGER).await?;
    let applied = applied(&mut session).await?;
    let pending = migration::pending(MIGRATIONS, &applied)?;
    if walk.is_new() {
        definitions::refuse_strays(&session, tables, mapping).await?;
    }
    let found = walk.look(&session, tables, mapping).await?;
    let mut new = Vec::new();
    for step in pending {
        execute(&session, "migrate", step.sql).await?;
        new.push(record(&mut session, step).await?);
    }
    history::prepare(&mut session, MONTHS_AHEAD).await?;
    ddl::install(&session, tables, mapping).await?;
    moves::apply(&session, mapping, &found).await?;
    definitions::remember(&session, tables, walk.left_nobody()).await?;
    session.run(vec![sql::commit().call()]).await?;
    Ok(new)
}

/// Checks without changing anything.
pub(crate) async fn check(mut session: Session) -> Result<(), StoreError> {
    migration::check(MIGRATIONS, &found(&mut session).await?)
}

/// What was applied; nothing in a database in which nothing ever was.
pub(crate) async fn found(session: &mut Session) -> Result<Vec<Applied>, StoreError> {
    let find =
        Sql::dynamic("migrate", "select to_regclass('dipmo_migration') is not null".to_owned());
    let exists = session.run(vec![find.call()]).await?[0][0].get::<_, bool>(0);
    if exists { applied(session).await } else { Ok(Vec::new()) }
}

/// Opens a transaction for DDL. One at a time: others wait, then find it done. But no statement
/// waits long for a table: everybody who comes after it would wait behind it, so that one long
/// report could stall the inbox. It fails as busy instead, and is tried again.
pub(crate) fn open() -> Vec<Call> {
    let once = "select set_config('lock_timeout', '60s', true), \
                pg_advisory_xact_lock(hashtext('dipmo'), hashtext(current_schema()))";
    let soon = "select set_config('lock_timeout', '3s', true)";
    vec![
        sql::begin().call(),
        Sql::dynamic("migrate", once.to_owned()).call(),
        Sql::dynamic("migrate", soon.to_owned()).call(),
    ]
}

/// Runs DDL, which may be several statements.
pub(crate) async fn execute(
    session: &Session,
    name: &'static str,
    text: &str,
) -> Result<(), StoreError> {
    session.client()?.batch_execute(text).await.map_err(|error| session.error(name, &error))
}

async fn applied(session: &mut Session) -> Result<Vec<Applied>, StoreError> {
    let text =
        "select version, name, checksum, breaks_older, applied_at from dipmo_migration order by 1";
    let rows = session.run(vec![Sql::dynamic("migrate", text.to_owned()).call()]).await?.remove(0);
    Ok(rows
        .iter()
        .map(|row| Applied {
            version: u32::try_from(row.get::<_, i32>(0)).unwrap_or(0),
            name: row.get(1),
            checksum: row.get(2),
            breaks_older: row.get(3),
            applied_at: row.get::<_, PgTime>(4).0,
        })
        .collect())
}

async fn record(session: &mut Session, step: &Migration) -> Result<Applied, StoreError> {
    let text = "insert into dipmo_migration (version, name, checksum, breaks_older) \
                values ($1, $2, $3, $4) returning applied_at";
    let version = i32::try_from(step.version).unwrap_or(i32::MAX);
    let insert = Sql::dynamic("migrate", text.to_owned()).with(params![
        version,
        step.name,
        step.checksum(),
        step.breaks_older
    ]);
    let rows = session.run(vec![insert]).await?.remove(0);
    Ok(Applied {
        version: step.version,
        name: step.name.to_owned(),
        checksum: step.checksum(),
        breaks_older: step.breaks_older,
        applied_at: rows[0].get::<_, PgTime>(0).0,
    })
}
