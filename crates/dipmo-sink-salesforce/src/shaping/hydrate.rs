//! Rows of a table or of a query, as they are now.

use std::collections::{HashMap, HashSet};

use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::Value;
use dipmo_outbox::Delivery;
use dipmo_store::Lookup;

use crate::error::SinkError;
use crate::mapping::{KeyColumn, key_of};

/// A row for each key that has one.
pub(super) type Rows = HashMap<String, FactRow>;

/// The newest row of each record that is wanted, in one statement.
pub(super) async fn newest<'a>(
    lookup: &dyn Lookup,
    fact: &FactDefinition,
    version: Option<&str>,
    wanted: impl Iterator<Item = &'a Delivery>,
) -> Result<Rows, SinkError> {
    let mut rows = Rows::new();
    for (key, row) in all(lookup, fact, wanted).await? {
        let version_of = |row: &FactRow| version.and_then(|name| row.get(name)?.as_integer());
        if rows.get(&key).is_none_or(|known| version_of(known) < version_of(&row)) {
            rows.insert(key, row);
        }
    }
    Ok(rows)
}

/// All rows of what is wanted, each with the key that it was found by.
pub(super) async fn all<'a>(
    lookup: &dyn Lookup,
    fact: &FactDefinition,
    wanted: impl Iterator<Item = &'a Delivery>,
) -> Result<Vec<(String, FactRow)>, SinkError> {
    let column = KeyColumn::of(fact);
    let mut destination = None;
    let mut seen = HashSet::new();
    let mut keys: Vec<Value> = Vec::new();
    for delivery in wanted {
        let key = key_of(delivery);
        destination.get_or_insert(&delivery.destination);
        if seen.insert(key) {
            keys.extend(column.value(key));
        }
    }
    let Some(destination) = destination.filter(|_| !keys.is_empty()) else {
        return Ok(Vec::new());
    };
    let rows = lookup.look_up(fact, &keys).await.map_err(|source| SinkError::HydrationFailed {
        destination: Box::new(destination.clone()),
        table: fact.reads(),
        by: fact.by().unwrap_or_default(),
        source,
    })?;
    Ok(rows.into_iter().filter_map(|row| Some((column.key(&row)?, row))).collect())
}
