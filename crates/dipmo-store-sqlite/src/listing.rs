//! One page of a list, out of a bounded number of rows.

use std::ops::ControlFlow;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{Listing, Page};
use rusqlite::{Params, Row};

use crate::sql::Sql;
use crate::tx::Tx;
use crate::work::as_usize;

/// So many ids a page looks through.
pub(crate) const MOST_LOOKED_AT: usize = 10_000;
/// The same where payloads are read, which may be large.
pub(crate) const MOST_READ_THROUGH: usize = 1_000;
/// How much more is looked through when what was looked through had too little in it.
const GROWTH: usize = 4;

/// Ids from one to before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: i64,
    pub(crate) before: i64,
}

impl Range {
    /// All ids.
    pub(crate) const ALL: Self = Self { from: i64::MIN, before: i64::MAX };
    /// No id.
    pub(crate) const NONE: Self = Self { from: 0, before: 0 };

    /// Those of them before another id as well.
    pub(crate) fn below(self, before: i64) -> Self {
        Self { before: self.before.min(before), ..self }
    }

    /// Those of them from another id on.
    pub(crate) fn above(self, from: i64) -> Self {
        Self { from: self.from.max(from), ..self }
    }

    /// True for an id of them.
    pub(crate) fn has(self, id: i64) -> bool {
        (self.from..self.before).contains(&id)
    }

    /// What lies between two times, where `first` answers the first id at or after a time.
    pub(crate) fn between(
        since: Option<Timestamp>,
        until: Option<Timestamp>,
        first: impl Fn(Timestamp) -> Result<Option<i64>, StoreError>,
    ) -> Result<Self, StoreError> {
        let mut range = Self::ALL;
        if let Some(since) = since {
            range = first(since)?.map_or(Self::NONE, |id| range.above(id));
        }
        if let Some(before) = until.map(first).transpose()?.flatten() {
            range = range.below(before);
        }
        Ok(range)
    }
}

/// A list, and what is wanted of it.
pub(crate) trait List {
    /// A row of it.
    type Line;

    /// Where to look at all.
    fn range(&self) -> Range {
        Range::ALL
    }

    /// How many ids a page looks through.
    fn most(&self) -> usize {
        MOST_LOOKED_AT
    }

    /// The newest ids of a range that may be wanted: all of them are there, or as many as the limit says.
    fn ids(&self, tx: &Tx<'_>, range: Range, limit: usize) -> Result<Vec<i64>, StoreError>;

    /// Those of the ids that are wanted, in their order; the first of them up to a limit.
    fn lines(&self, tx: &Tx<'_>, ids: &[i64], limit: usize) -> Result<Vec<Self::Line>, StoreError>;

    /// The id of a row.
    fn id(line: &Self::Line) -> i64;

    /// When what has an id came.
    fn time(&self, tx: &Tx<'_>, id: i64) -> Result<Option<Timestamp>, StoreError>;
}

/// Looks through a list from the newest on, until a page is full or enough was looked through.
pub(crate) fn walk<L: List>(
    tx: &Tx<'_>,
    list: &L,
    page: Page,
) -> Result<Listing<L::Line>, StoreError> {
    // One more than is wanted says whether something follows.
    let enough = as_usize(page.rows()) + 1;
    let mut range = list.range().below(page.before.unwrap_or(i64::MAX));
    let (mut rows, mut left, mut step) = (Vec::new(), list.most().max(enough), enough);
    let next = loop {
        let asked = step.min(left);
        let ids = list.ids(tx, range, asked)?;
        rows.extend(list.lines(tx, &ids, enough - rows.len())?);
        if rows.len() == enough {
            rows.pop();
            break rows.last().map(L::id);
        }
        left -= ids.len();
        match ids.last() {
            Some(last) if ids.len() == asked && left == 0 => break Some(*last),
            Some(last) if ids.len() == asked => range = range.below(*last),
            _ => break None,
        }
        step *= GROWTH;
    };
    let searched_to = next.map(|id| list.time(tx, id)).transpose()?.flatten();
    Ok(Listing { rows, next, searched_to })
}

/// Rows of a statement, the first of them up to a limit.
pub(crate) fn first<T>(
    tx: &Tx<'_>,
    sql: &Sql,
    params: impl Params,
    limit: usize,
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    tx.some(sql, params, |row| {
        found.push(read(row)?);
        Ok(if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// Ids as `json_each` takes them apart again.
pub(crate) fn as_json(ids: &[i64]) -> String {
    serde_json::json!(ids).to_string()
}
