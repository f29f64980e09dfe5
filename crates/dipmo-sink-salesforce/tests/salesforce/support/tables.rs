//! Tables in memory.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Lookup;

/// Tables in memory, by name; what was asked is counted.
#[derive(Default)]
pub(crate) struct Tables {
    rows: Mutex<HashMap<&'static str, Vec<FactRow>>>,
    asked: Mutex<Vec<usize>>,
    broken: Mutex<Option<StoreError>>,
    takes: Mutex<Duration>,
}

impl Tables {
    /// Puts a row in the place of the one with the same `ID`.
    pub(crate) fn put(&self, table: &'static str, row: FactRow) {
        let mut tables = self.rows.lock().unwrap();
        let rows = tables.entry(table).or_default();
        rows.retain(|known| known["ID"] != row["ID"]);
        rows.push(row);
    }

    pub(crate) fn remove(&self, table: &'static str, id: &str) {
        let mut tables = self.rows.lock().unwrap();
        tables.entry(table).or_default().retain(|row| row["ID"] != Value::from(id));
    }

    /// From now on every look-up fails like this.
    pub(crate) fn break_with(&self, error: StoreError) {
        *self.broken.lock().unwrap() = Some(error);
    }

    /// From now on every look-up takes so long.
    pub(crate) fn slow_down(&self, takes: Duration) {
        *self.takes.lock().unwrap() = takes;
    }

    /// How many keys each look-up asked for.
    pub(crate) fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Lookup for Tables {
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError> {
        let takes = *self.takes.lock().unwrap();
        tokio::time::sleep(takes).await;
        self.asked.lock().unwrap().push(keys.len());
        if let Some(error) = self.broken.lock().unwrap().clone() {
            return Err(error);
        }
        let tables = self.rows.lock().unwrap();
        let rows = tables.get(fact.reads()).map_or(&[][..], Vec::as_slice);
        let is_asked = |row: &&FactRow| fact.by().is_some_and(|by| keys.contains(&row[by]));
        Ok(rows.iter().filter(is_asked).cloned().collect())
    }
}
