//! How much work one query may be: the org waits while it runs.

use std::cell::Cell;

use crate::refusal::Refusal;

/// Some seconds of a debug build. Salesforce gives a query two minutes, but there the others need
/// not wait for it.
const MAX_STEPS: usize = 25_000_000;

/// The steps that a query has left; one is about the reading and comparing of one value.
pub(super) struct Budget {
    left: Cell<usize>,
}

impl Budget {
    /// What every query begins with.
    pub(super) fn of_a_query() -> Self {
        Budget::of(MAX_STEPS)
    }

    fn of(steps: usize) -> Self {
        Budget { left: Cell::new(steps) }
    }

    /// Asked before the work is done.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Refusal> {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                Err(Refusal::new("QUERY_TIMEOUT", "Your query request was running for too long."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::fixture::Fixture;
    use crate::soql::{Scope, run_within};

    /// A query may run with as many steps as it needs, and not with one less.
    #[test]
    fn work_is_counted_wherever_it_grows_with_the_records() {
        let mut fixture = Fixture::new("{}");
        for key in ["C1", "C2", "C3"] {
            let title = "t".repeat(100);
            let record = json!({ "LastName": "x", "ExternalId__c": key, "Title": title });
            fixture.insert("Contact", &record);
        }
        let long_pattern = format!("Id FROM Contact WHERE Title LIKE '{}'", "%t".repeat(32));
        for (query, steps) in [
            ("Id FROM Contact", 0),
            ("Id FROM Contact WHERE LastName = 'y'", 3),
            ("Id FROM Contact WHERE LastName != 'y'", 3),
            ("Id FROM Contact WHERE LastName > 'a'", 3),
            ("Id FROM Contact WHERE LastName LIKE 'a%'", 3),
            ("Id FROM Contact WHERE LastName IN ('a', 'b', 'c')", 3),
            // What the first comparison decides is not asked again.
            ("Id FROM Contact WHERE LastName = 'y' AND FirstName = 'x'", 3),
            ("Id FROM Contact WHERE LastName = 'y' OR FirstName = 'x'", 6),
            // The way to a parent is work, too.
            ("Id FROM Contact WHERE Account.Name = 'x'", 6),
            // An index saves it.
            ("Id FROM Contact WHERE ExternalId__c = 'C1' AND LastName = 'x'", 2),
            ("Id FROM Contact WHERE ExternalId__c IN ('C1', 'c1', 'C2')", 2),
            // Three times a hundred characters, 64 parts, 64 of both to a step.
            (&long_pattern, 3 * (1 + 100)),
            ("Id FROM Contact ORDER BY LastName", 6),
            ("Id FROM Contact ORDER BY LastName, Account.Name", 18),
            ("COUNT(Id), COUNT(FirstName) FROM Contact", 6),
        ] {
            let text = format!("SELECT {query}");
            let mut run = |steps| {
                fixture.transact(|tx| run_within(tx, &text, Scope::Live, &Budget::of(steps)))
            };
            assert!(run(steps).is_ok(), "{query} needs more than {steps} steps");
            let Some(too_few) = steps.checked_sub(1) else { continue };
            let refusal = run(too_few).expect_err(query);
            assert_eq!((refusal.status, refusal.code), (400, "QUERY_TIMEOUT"), "{query}");
        }
    }
}
