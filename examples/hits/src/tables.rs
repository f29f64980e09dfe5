//! The domain tables of a hit, each with its natural key and a revision that only grows.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};

/// One row for each hit.
pub(crate) fn hits() -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name: "HITS",
        columns: vec![
            Column::new("HIT_ID", ColumnKind::Text(200)).required(),
            Column::new("NOTIFICATION_ID", ColumnKind::Text(200)).required(),
            Column::new("CUSTOMER_ID", ColumnKind::Text(200)),
            Column::new("STATUS", ColumnKind::Text(30)).required(),
            Column::new("REVISION", ColumnKind::Integer).required(),
        ],
        key: vec!["HIT_ID"],
        version: Some("REVISION"),
    })
}

/// One row for each hit that is reviewed.
pub(crate) fn reviews() -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name: "REVIEWS",
        columns: vec![
            Column::new("HIT_ID", ColumnKind::Text(200)).required(),
            Column::new("STATUS", ColumnKind::Text(30)).required(),
            Column::new("OUTCOME", ColumnKind::Text(2_000)),
            Column::new("REVISION", ColumnKind::Integer).required(),
        ],
        key: vec!["HIT_ID"],
        version: Some("REVISION"),
    })
}
