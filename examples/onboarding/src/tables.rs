//! The domain tables of an onboarding, each with its natural key.
//!
//! Neither has a version column: the version of one onboarding cannot be compared with that of
//! another one of the same customer, so the last write counts.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};

/// One row for each customer.
pub(crate) fn customers() -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name: "CUSTOMERS",
        columns: vec![
            Column::new("CUSTOMER_ID", ColumnKind::Text(200)).required(),
            Column::new("NAME", ColumnKind::Text(200)),
            Column::new("STATUS", ColumnKind::Text(30)).required(),
        ],
        key: vec!["CUSTOMER_ID"],
        version: None,
    })
}

/// One row for each customer that is blocked.
pub(crate) fn blocks() -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name: "BLOCKS",
        columns: vec![
            Column::new("CUSTOMER_ID", ColumnKind::Text(200)).required(),
            Column::new("ONBOARDING_ID", ColumnKind::Text(200)).required(),
        ],
        key: vec!["CUSTOMER_ID"],
        version: None,
    })
}
