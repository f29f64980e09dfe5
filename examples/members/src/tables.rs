//! FAMILIES, MEMBERS and BLOCKS, each with its natural key and the version of its source.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};

/// The tables of this domain, which the processes write and the way to Salesforce reads.
///
/// `VERSION` is a number that the source raises with every commit. A row has that of the last commit
/// that changed it, so a write that comes late changes nothing.
#[derive(Clone, Debug)]
pub struct Tables {
    /// One row for each family.
    pub families: Arc<DomainTable>,
    /// One row for each member of a family.
    pub members: Arc<DomainTable>,
    /// One row for each block on a family.
    pub blocks: Arc<DomainTable>,
}

impl Default for Tables {
    fn default() -> Self {
        let text = |name, width| Column::new(name, ColumnKind::Text(width));
        let families = vec![text("NAME", 200), text("STATUS", 30)];
        let members = vec![
            text("FAMILY_ID", 200).required(),
            text("FIRST_NAME", 200),
            text("LAST_NAME", 200),
            text("EMAIL", 200),
        ];
        let blocks = vec![
            text("FAMILY_ID", 200).required(),
            text("BLOCK_TYPE", 30).required(),
            text("REASON", 2_000),
            Column::new("ACTIVE", ColumnKind::Boolean).required(),
        ];
        Self {
            families: table("FAMILIES", families),
            members: table("MEMBERS", members),
            blocks: table("BLOCKS", blocks),
        }
    }
}

/// With ID as its key, and VERSION.
fn table(name: &'static str, mut columns: Vec<Column>) -> Arc<DomainTable> {
    columns.insert(0, Column::new("ID", ColumnKind::Text(200)).required());
    columns.push(Column::new("VERSION", ColumnKind::Integer).required());
    Arc::new(DomainTable { name, columns, key: vec!["ID"], version: Some("VERSION") })
}
