//! Instances of a process, in the order of their ids.

use std::ops::ControlFlow::{Break, Continue};

use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::admin::{InstanceFilter, InstancePage, Page};

use crate::listing::MOST_LOOKED_AT;
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{sql, states};

/// Looks through instances behind an id, until a page is full or enough was looked through.
pub(super) fn page(
    tx: &Tx<'_>,
    process: &str,
    filter: &InstanceFilter,
    behind: Option<&str>,
    limit: u32,
) -> Result<InstancePage, StoreError> {
    let limit = as_usize(Page::first(limit).rows());
    let prefix = filter.id_prefix.as_deref().unwrap_or_default();
    let from = behind.unwrap_or_default().max(prefix);
    let (mut page, mut looked) = (InstancePage { rows: Vec::new(), next: None }, 0);
    let mut last: Option<String> = None;
    let params = (from, behind, &filter.state, filter.failed);
    let see = |row: &rusqlite::Row<'_>| {
        let id: String = row.get(8)?;
        if !id.starts_with(prefix) {
            return Ok(Break(()));
        }
        let is_wanted: bool = row.get(9)?;
        if looked == MOST_LOOKED_AT || (is_wanted && page.rows.len() == limit) {
            page.next = last.take();
            return Ok(Break(()));
        }
        looked += 1;
        last = Some(id.clone());
        if is_wanted {
            let key = ProcessKey { process: process.to_owned(), id };
            page.rows.push(states::read(row, &key)?);
        }
        Ok(Continue(()))
    };
    tx.some(&sql::state_list(&states::table(process)), params, see)
        .map_err(|error| states::no_table(error, process))?;
    Ok(page)
}
