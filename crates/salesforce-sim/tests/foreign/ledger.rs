//! What the simulator says was applied, by external id.

use std::collections::BTreeMap;

use serde_json::Value;

/// The part of `/__sim/ledger` that is about one object.
pub(crate) struct Ledger(BTreeMap<String, Value>);

impl Ledger {
    pub(crate) fn read(answer: &Value) -> Self {
        let entries = answer["entries"].as_array().unwrap().iter();
        let key = |entry: &Value| entry["key"].as_str().unwrap().to_owned();
        Ledger(entries.map(|entry| (key(entry), entry.clone())).collect())
    }

    /// The external ids that were ever applied, in alphabetical order.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// What was done with this one: `created`, `updated`, `deleted`, in order.
    pub(crate) fn kinds(&self, key: &str) -> Vec<&str> {
        self.list(key, "kinds").iter().map(|kind| kind.as_str().unwrap()).collect()
    }

    /// What its tracked version was after each of these.
    pub(crate) fn versions(&self, key: &str) -> Vec<f64> {
        let version = |tracked: &Value| tracked["Version__c"].as_f64().unwrap();
        self.list(key, "tracked").iter().map(version).collect()
    }

    /// The id of the only record that ever had this key.
    pub(crate) fn id(&self, key: &str) -> &str {
        let ids = self.list(key, "ids");
        assert_eq!(ids.len(), 1, "{key} had other records: {ids:?}");
        ids[0].as_str().unwrap()
    }

    fn list(&self, key: &str, what: &str) -> &[Value] {
        let entry = self.0.get(key).unwrap_or_else(|| panic!("{key} was never applied"));
        entry[what].as_array().unwrap()
    }
}
