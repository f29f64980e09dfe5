//! What each client could do, as a table of operation and client.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

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
        write!(f, "{:width$}", "")?;
        for client in &self.clients {
            write!(f, "  {client}")?;
        }
        for (operation, outcomes) in &self.operations {
            write!(f, "\n{operation:width$}")?;
            for client in &self.clients {
                let outcome = match outcomes.get(client) {
                    Some(true) => "pass",
                    Some(false) => "FAIL",
                    None => "-",
                };
                write!(f, "  {outcome:width$}", width = client.len())?;
            }
        }
        writeln!(f)
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
        table.add("of_no_client", true);
        let expected = "                    jsforce  simple-salesforce\n\
                        reads limits        FAIL     pass             \n\
                        upserts one record  pass     -                \n";
        assert_eq!(table.to_string(), expected);
    }
}
