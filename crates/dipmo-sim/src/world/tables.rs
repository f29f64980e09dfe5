//! Tables of the domain, as the processes know them and as the database has them.

use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_store::Tables;

/// The last note of each account.
pub(crate) fn ledger() -> Arc<DomainTable> {
    ledger_with(100)
}

/// How many messages the handler has had of each account.
pub(crate) fn counts() -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name: "COUNTS",
        columns: vec![
            Column::new("ID", ColumnKind::Text(40)).required(),
            Column::new("COUNT", ColumnKind::Integer).required(),
        ],
        key: vec!["ID"],
        version: None,
    })
}

/// What the database has: a remark is shorter than the processes know, as after a change of the
/// schema that nobody told them of. This is what makes it refuse rows.
pub(crate) fn installed(registry: &Registry) -> Tables {
    let mut tables = Tables::of(registry);
    for table in &mut tables.domain {
        if table.name == "LEDGER" {
            *table = ledger_with(8);
        }
    }
    tables.domain.push(counts());
    tables
}

fn ledger_with(remark_chars: u16) -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name: "LEDGER",
        columns: vec![
            Column::new("ID", ColumnKind::Text(40)).required(),
            Column::new("BALANCE", ColumnKind::Integer).required(),
            Column::new("VERSION", ColumnKind::Integer).required(),
            Column::new("REMARK", ColumnKind::Text(remark_chars)),
        ],
        key: vec!["ID"],
        version: Some("VERSION"),
    })
}
