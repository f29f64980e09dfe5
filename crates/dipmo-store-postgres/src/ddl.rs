//! Tables of processes and of the domain, made from their definitions, or checked against them.

use dipmo_api::table::{ColumnKind, DomainTable, ProcessTable};
use dipmo_domain::StoreError;
use dipmo_store::schema::{PlannedStates, PlannedTable};
use dipmo_store::{StateMapping, Tables, WriteGroup};
use tokio_postgres::types::Type;

use crate::migrate::execute;
use crate::session::Session;
use crate::{domain, probe, states, values};

/// Something that is not as the definitions say, and the SQL that would make it so.
pub(crate) enum Change {
    Table(PlannedTable),
    States(PlannedStates),
}

/// Makes what is missing and checks what is there.
pub(crate) async fn install(
    session: &Session,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<(), StoreError> {
    for change in changes(session, tables, mapping).await? {
        let (name, text) = match &change {
            Change::Table(planned) => ("table_create", &planned.sql),
            Change::States(planned) => ("table_check", &planned.sql),
        };
        execute(session, name, text).await?;
    }
    for sql in tables.sql() {
        probe::check(session, sql).await.map_err(|complaint| complaint.error)?;
    }
    Ok(())
}

/// What [`install`] would do. What is there must be as its definition says. A state that is mapped is
/// allowed as long as somebody may stand in it.
pub(crate) async fn changes(
    session: &Session,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<Vec<Change>, StoreError> {
    let mut changes = Vec::new();
    for table in &tables.processes {
        let change = match There::find(session, table).await? {
            There::No => {
                let sql = create_process(table);
                Some(Change::Table(PlannedTable { table: table.table_name(), sql }))
            }
            there => {
                check_process(session, table).await?;
                grow(table, &there, &mapping.gone(table.process)).map(Change::States)
            }
        };
        changes.extend(change);
    }
    for table in &tables.domain {
        if is_there(session, table.name).await? {
            check_domain(session, tables, table).await?;
        } else {
            let sql = create_domain(table);
            changes.push(Change::Table(PlannedTable { table: table.name.to_owned(), sql }));
        }
    }
    Ok(changes)
}

/// What stands in the comment of a process table, before the states that its CHECK allows.
const MARK: &str = "dipmo states: ";

/// A process table as it is found.
pub(crate) enum There {
    No,
    /// Somebody else made it: nobody knows what states it allows.
    Unknown,
    Allows(Vec<String>),
}

impl There {
    pub(crate) async fn find(session: &Session, table: &ProcessTable) -> Result<Self, StoreError> {
        let text = "select to_regclass($1::text) is not null, \
                    obj_description(to_regclass($1::text), 'pg_class')";
        let row = session.client()?.query_one(text, &[&table.table_name()]).await;
        let row = row.map_err(|error| session.error("table_check", &error))?;
        let mark: Option<String> = row.get(1);
        Ok(match (row.get::<_, bool>(0), mark.as_deref().and_then(|it| it.strip_prefix(MARK))) {
            (false, _) => Self::No,
            (true, None) => Self::Unknown,
            (true, Some(known)) => Self::Allows(known.split(' ').map(str::to_owned).collect()),
        })
    }

    /// The states that it allows, as far as anybody knows.
    pub(crate) fn states(&self) -> Option<&[String]> {
        match self {
            Self::Allows(states) => Some(states),
            Self::No | Self::Unknown => None,
        }
    }
}

pub(crate) fn create_process(table: &ProcessTable) -> String {
    let projected: String = table
        .projected
        .iter()
        .map(|column| {
            let required = if column.required { " not null" } else { "" };
            format!("    {} varchar(200){required},\n", column.name)
        })
        .collect();
    format!(
        "create table if not exists {name} (
    id varchar(200) primary key,
{projected}    state varchar(30) not null default '{initial}',
    last_event_ts timestamptz not null default now(),
    version bigint not null default 0,
    error_code varchar(200),
    error_message varchar(2000),
    attempts integer not null default 0,
    context json not null default '{{}}',
    last_event_versions json
) with (fillfactor = 70);
{allow}",
        name = table.table_name(),
        initial = table.initial,
        allow = allow(table, &table.states, false),
    )
}

/// The CHECK on STATE allows the states of the definition, and those of definitions before it: an
/// older instance that starts again must not forbid the states of a newer one.
fn grow(table: &ProcessTable, there: &There, gone: &[&str]) -> Option<PlannedStates> {
    let known = there.states().unwrap_or_default();
    let is_new = |state: &&&str| !known.iter().any(|known| known == **state);
    let adds: Vec<&str> = table.states.iter().filter(is_new).copied().collect();
    if adds.is_empty() {
        return None;
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let sql = match there {
        // More states than before need no look at the rows that are there.
        There::Allows(_) => allow(table, &[&known[..], &adds].concat(), true),
        There::No | There::Unknown => allow(table, &[gone, &adds].concat(), false),
    };
    let adds = adds.into_iter().map(str::to_owned).collect();
    Some(PlannedStates { process: table.process.to_owned(), adds, sql })
}

/// Lets a process table have these states and no others.
pub(crate) fn allow(table: &ProcessTable, states: &[&str], unseen: bool) -> String {
    let (name, check) = (table.table_name(), table.state_check);
    let unseen = if unseen { " not valid" } else { "" };
    format!(
        "alter table {name} drop constraint if exists {check};
alter table {name} add constraint {check} check (state in ('{}')){unseen};
comment on table {name} is '{MARK}{}';",
        states.join("', '"),
        states.join(" "),
    )
}

/// Whether our statements run on a process table that is there.
async fn check_process(session: &Session, table: &ProcessTable) -> Result<(), StoreError> {
    let name = table.table_name();
    prepare(session, &name, &states::find(&name.to_lowercase()).text).await?;
    for column in &table.projected {
        prepare(session, &name, &format!("select {} from {name}", column.name)).await?;
    }
    Ok(())
}

/// Whether there is a relation of this name.
pub(crate) async fn is_there(session: &Session, name: &str) -> Result<bool, StoreError> {
    let text = "select to_regclass($1::text) is not null";
    let row = session.client()?.query_one(text, &[&name]).await;
    row.map(|row| row.get(0)).map_err(|error| session.error("table_check", &error))
}

pub(crate) fn create_domain(table: &DomainTable) -> String {
    let columns: String = table
        .columns
        .iter()
        .map(|column| {
            let required = if column.required { " not null" } else { "" };
            format!("    {} {}{required},\n", column.name, values::ddl_type(column.kind))
        })
        .collect();
    let key = table.key.join(", ");
    format!("create table if not exists {} (\n{columns}    primary key ({key})\n);", table.name)
}

/// A table that somebody else made must have our columns, with our types, and a unique key.
async fn check_domain(
    session: &Session,
    tables: &Tables,
    table: &DomainTable,
) -> Result<(), StoreError> {
    let names: Vec<&'static str> = table.columns.iter().map(|column| column.name).collect();
    let text = format!("select {} from {}", names.join(", "), table.name);
    let statement = prepare(session, table.name, &text).await?;
    for (column, found) in table.columns.iter().zip(statement.columns()) {
        if !fits(column.kind, found.type_()) {
            return Err(StoreError::TableMismatch {
                table: table.name.to_owned(),
                problem: format!(
                    "column {} is {}, but must be {}",
                    column.name,
                    found.type_(),
                    values::ddl_type(column.kind),
                ),
            });
        }
    }
    let group = WriteGroup {
        table: std::sync::Arc::new(table.clone()),
        columns: names,
        deletes: false,
        rows: Vec::new(),
    };
    prepare(session, table.name, &domain::write(tables, &group)?.sql.text).await.map(|_| ())
}

fn fits(kind: ColumnKind, found: &Type) -> bool {
    match kind {
        ColumnKind::Text(_) => *found == Type::VARCHAR || *found == Type::TEXT,
        ColumnKind::Integer => *found == Type::INT8,
        ColumnKind::Boolean => *found == Type::BOOL,
        ColumnKind::Timestamp => *found == Type::TIMESTAMPTZ,
        ColumnKind::Json => *found == Type::JSON,
    }
}

/// Lets PostgreSQL judge whether a statement of ours would run.
async fn prepare(
    session: &Session,
    table: &str,
    text: &str,
) -> Result<tokio_postgres::Statement, StoreError> {
    session.client()?.prepare(text).await.map_err(|error| match error.as_db_error() {
        Some(db) => {
            StoreError::TableMismatch { table: table.to_owned(), problem: db.message().to_owned() }
        }
        None => session.error("table_check", &error),
    })
}
