//! Tables of processes and of the domain, made from their definitions, or checked against them.

use dipmo_api::table::{ColumnKind, DomainTable, ProcessTable};
use dipmo_domain::StoreError;
use dipmo_store::{Tables, WriteGroup};
use tokio_postgres::types::Type;

use crate::migrate::execute;
use crate::session::Session;
use crate::{domain, probe, states, values};

/// Makes what is missing and checks what is there.
pub(crate) async fn install(session: &Session, tables: &Tables) -> Result<(), StoreError> {
    for table in &tables.processes {
        execute(session, "table_create", &create_process(table)).await?;
        check_states(session, table).await?;
        let find = states::find(&table.table_name().to_lowercase());
        prepare(session, &table.table_name(), &find.text).await?;
        for column in &table.projected {
            let text = format!("select {} from {}", column.name, table.table_name());
            prepare(session, &table.table_name(), &text).await?;
        }
    }
    for table in &tables.domain {
        execute(session, "table_create", &create_domain(table)).await?;
        check_domain(session, tables, table).await?;
    }
    for sql in tables.sql() {
        probe::check(session, sql).await.map_err(|complaint| complaint.error)?;
    }
    Ok(())
}

fn create_process(table: &ProcessTable) -> String {
    let projected: String = table
        .projected
        .iter()
        .map(|column| {
            let required = if column.required { " not null" } else { "" };
            format!("{} varchar(200){required},\n", column.name)
        })
        .collect();
    format!(
        "create table if not exists {name} (
            id varchar(200) primary key,
            {projected}
            state varchar(30) not null default '{initial}',
            last_event_ts timestamptz not null default now(),
            version bigint not null default 0,
            error_code varchar(200),
            error_message varchar(2000),
            attempts integer not null default 0,
            context json not null default '{{}}',
            last_event_versions json
        ) with (fillfactor = 70)",
        name = table.table_name(),
        initial = table.initial,
    )
}

/// The CHECK on STATE allows the states of the definition, and those of definitions before it: an
/// older instance that starts again must not forbid the states of a newer one.
async fn check_states(session: &Session, table: &ProcessTable) -> Result<(), StoreError> {
    const MARK: &str = "dipmo states: ";
    let name = table.table_name();
    let text = format!("select obj_description('{name}'::regclass, 'pg_class')");
    let rows = session.client()?.query(&text, &[]).await;
    let rows = rows.map_err(|error| session.error("table_check", &error))?;
    let mark: Option<String> = rows[0].get(0);
    let known = mark.as_deref().and_then(|mark| mark.strip_prefix(MARK));
    let mut states: Vec<&str> = known.map(|known| known.split(' ').collect()).unwrap_or_default();
    let before = states.len();
    states.extend(table.states.iter().copied().filter(|state| !known_in(known, state)));
    if states.len() == before {
        return Ok(());
    }
    // More states than before need no look at the rows that are there.
    let unseen = if known.is_some() { " not valid" } else { "" };
    let check = table.state_check;
    let text = format!(
        "alter table {name} drop constraint if exists {check};
         alter table {name} add constraint {check} check (state in ('{}')){unseen};
         comment on table {name} is '{MARK}{}'",
        states.join("', '"),
        states.join(" "),
    );
    execute(session, "table_check", &text).await.map_err(|error| match error {
        StoreError::RowRefused { .. } => StoreError::TableMismatch {
            table: name.clone(),
            problem: "rows stand in a state that the process does not have".to_owned(),
        },
        other => other,
    })
}

fn known_in(known: Option<&str>, state: &str) -> bool {
    known.is_some_and(|known| known.split(' ').any(|name| name == state))
}

fn create_domain(table: &DomainTable) -> String {
    let columns: String = table
        .columns
        .iter()
        .map(|column| {
            let required = if column.required { " not null" } else { "" };
            format!("{} {}{required},\n", column.name, values::ddl_type(column.kind))
        })
        .collect();
    let key = table.key.join(", ");
    format!("create table if not exists {} ({columns} primary key ({key}))", table.name)
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
