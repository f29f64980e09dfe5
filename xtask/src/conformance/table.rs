//! What each client could do, as a table of operation and client.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How long an outcome is.
const OUTCOME: usize = "pass".len();

/// Outcomes of tests that are named `client::operation`.
#[derive(Default)]
pub(crate) struct Table {
    clients: BTreeSet<String>,
    operations: BTreeMap<String, BTreeMap<String, bool>>,
}

impl Table {
    /// Takes an outcome in; a name without a client is about none.
    pub(crate) fn add(&mut self, name: &str, passed: bool) {
        if let Some((client, operation)) = name.split_once("::") {
            let (client, operation) = (client.replace('_', "-"), operation.replace('_', " "));
            self.clients.insert(client.clone());
            self.operations.entry(operation).or_default().insert(client, passed);
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.operations.keys().map(String::len).max().unwrap_or_default();
        let clients = self.clients.iter().map(String::as_str);
        writeln!(f, "{}", self.row(width, "", clients))?;
        for (operation, outcomes) in &self.operations {
            let outcome = |client: &String| match outcomes.get(client) {
                Some(true) => "pass",
                Some(false) => "FAIL",
                None => "-",
            };
            writeln!(f, "{}", self.row(width, operation, self.clients.iter().map(outcome)))?;
        }
        Ok(())
    }
}

impl Table {
    fn row<'a>(&self, width: usize, name: &str, cells: impl Iterator<Item = &'a str>) -> String {
        let mut row = format!("{name:width$}");
        for (client, cell) in self.clients.iter().zip(cells) {
            row.push_str(&format!("  {cell:width$}", width = client.len().max(OUTCOME)));
        }
        row.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_row_has_an_operation_and_a_column_a_client() {
        let mut table = Table::default();
        table.add("simple_salesforce::reads_limits", true);
        table.add("jsforce::reads_limits", false);
        table.add("jsforce::upserts_one_record", true);
        table.add("sf::upserts_one_record", true);
        table.add("of_no_client", true);
        let expected = "                    jsforce  sf    simple-salesforce\n\
                        reads limits        FAIL     -     pass\n\
                        upserts one record  pass     pass  -\n";
        assert_eq!(table.to_string(), expected);
    }
}
