//! The tables of the suite: one process and two domain tables that use every kind of column.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_api::table::{Column, ColumnKind, DomainTable, ProcessTable, ProjectedColumn};
use dipmo_store::Tables;

/// Items of a region; the key is text.
pub const ITEMS_BY_REGION: &str = "items_by_region";
/// Items with a number; the key is an integer.
pub const ITEMS_OF_NUMBER: &str = "items_of_number";
/// A label by its key.
pub const LABEL_BY_ID: &str = "label_by_id";

/// Everything that [`Fixture::fresh`](crate::Fixture::fresh) installs.
#[must_use]
pub fn suite_tables() -> Tables {
    Tables {
        processes: vec![suite_process()],
        domain: vec![items_table(), labels_table()],
        facts: vec![
            FactDefinition::table(ITEMS_BY_REGION, items_table(), "REGION"),
            FactDefinition::table(ITEMS_OF_NUMBER, items_table(), "ITEM_NO"),
            FactDefinition::table(LABEL_BY_ID, labels_table(), "LABEL_ID"),
        ],
        statements: vec![],
    }
}

/// The process `SUITE`, with a projected column that must be there and one that may be missing.
#[must_use]
pub fn suite_process() -> Arc<ProcessTable> {
    ProcessTable {
        process: "SUITE",
        states: vec!["STARTED", "WAITING", "ENDED", "FAILED"],
        initial: "STARTED",
        state_check: "CK_SUITE_STATE",
        projected: vec![
            ProjectedColumn { name: "REFERENCE", field: "reference", required: true },
            ProjectedColumn { name: "NOTE", field: "note", required: false },
        ],
    }
    .checked()
    .unwrap()
}

/// A table with a version, a key of two columns, and one column of each kind.
#[must_use]
pub fn items_table() -> Arc<DomainTable> {
    DomainTable {
        name: "SUITE_ITEMS",
        columns: vec![
            Column::new("REGION", ColumnKind::Text(50)).required(),
            Column::new("ITEM_NO", ColumnKind::Integer).required(),
            Column::new("REVISION", ColumnKind::Integer).required(),
            Column::new("NAME", ColumnKind::Text(200)),
            Column::new("ACTIVE", ColumnKind::Boolean),
            Column::new("SEEN_AT", ColumnKind::Timestamp),
            Column::new("DETAILS", ColumnKind::Json),
        ],
        key: vec!["REGION", "ITEM_NO"],
        version: Some("REVISION"),
    }
    .checked()
    .unwrap()
}

/// A table without a version.
#[must_use]
pub fn labels_table() -> Arc<DomainTable> {
    DomainTable {
        name: "SUITE_LABELS",
        columns: vec![
            Column::new("LABEL_ID", ColumnKind::Text(50)).required(),
            Column::new("CAPTION", ColumnKind::Text(200)),
            Column::new("WEIGHT", ColumnKind::Integer),
        ],
        key: vec!["LABEL_ID"],
        version: None,
    }
    .checked()
    .unwrap()
}
