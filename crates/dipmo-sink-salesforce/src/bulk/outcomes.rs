//! What became of the rows of a job, by external id, in about 40 bytes a row.

use std::collections::HashMap;

use dipmo_salesforce::RowError;

use super::keys::KeyHash;
use super::texts::{TextRef, Texts};

/// What became of all rows. Results need not have a key as it was sent: blanks around it may be gone,
/// and no job has two rows whose keys differ by that only.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    rows: HashMap<KeyHash, Kept>,
    texts: Texts,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome<'a> {
    /// Applied, to the record of this id.
    Applied(&'a str),
    /// Refused, for this reason.
    Failed(&'a RowError),
    /// Salesforce did not come to it.
    Unprocessed,
}

/// An outcome as it is kept: ids have 18 characters.
#[derive(Clone, Copy, Debug)]
enum Kept {
    Applied([u8; 18]),
    Failed(TextRef),
    Unprocessed,
}

impl Outcomes {
    /// A row was applied. An id that is none means that the row did not come whole: then it is not
    /// known what became of it.
    pub(super) fn applied(&mut self, key: &str, id: &str) {
        if let Ok(id) = <[u8; 18]>::try_from(id.as_bytes()) {
            self.rows.insert(KeyHash::folded(key), Kept::Applied(id));
        }
    }

    /// A row was refused.
    pub(super) fn failed(&mut self, key: &str, error: RowError) {
        let text = self.texts.add(error);
        self.rows.insert(KeyHash::folded(key), Kept::Failed(text));
    }

    /// Salesforce did not come to a row.
    pub(super) fn unprocessed(&mut self, key: &str) {
        self.rows.insert(KeyHash::folded(key), Kept::Unprocessed);
    }

    /// Whether Salesforce decided at least one row.
    pub(super) fn any_processed(&self) -> bool {
        self.rows.values().any(|kept| !matches!(kept, Kept::Unprocessed))
    }

    /// What became of the row of a key; `None` where no result told of it.
    pub(super) fn of(&self, key: &str) -> Option<Outcome<'_>> {
        match self.rows.get(&KeyHash::folded(key))? {
            Kept::Applied(id) => str::from_utf8(id).ok().map(Outcome::Applied),
            Kept::Failed(text) => self.texts.get(*text).map(Outcome::Failed),
            Kept::Unprocessed => Some(Outcome::Unprocessed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str) -> RowError {
        RowError { code: "CODE".to_owned(), message: message.to_owned(), fields: Vec::new() }
    }

    #[test]
    fn each_row_is_found_by_its_key_as_salesforce_compares_it() {
        let mut outcomes = Outcomes::default();
        let id = "003000000000001AAA";
        outcomes.applied("a,\n\"ü\"", id);
        outcomes.failed("b", error("no"));
        outcomes.unprocessed("c");
        assert_eq!(outcomes.of("a,\n\"ü\""), Some(Outcome::Applied(id)));
        assert_eq!(outcomes.of("b"), Some(Outcome::Failed(&error("no"))));
        assert_eq!(outcomes.of("c"), Some(Outcome::Unprocessed));
        assert_eq!(outcomes.of(" B "), Some(Outcome::Failed(&error("no"))));
        assert_eq!(outcomes.of("d"), None);
    }

    #[test]
    fn an_id_that_is_cut_off_tells_nothing() {
        let mut outcomes = Outcomes::default();
        outcomes.applied("a", "00300000");
        assert_eq!(outcomes.of("a"), None);
    }

    #[test]
    fn the_same_reason_is_kept_once_and_many_reasons_are_cut() {
        let mut outcomes = Outcomes::default();
        for row in 0..30_000 {
            outcomes.failed(&format!("same {row}"), error("the very same"));
            outcomes.failed(&format!("{row}"), error(&format!("{row}: {}", "long ".repeat(200))));
        }
        assert_eq!(outcomes.of("same 7"), Some(Outcome::Failed(&error("the very same"))));
        let length = |row: &str| match outcomes.of(row) {
            Some(Outcome::Failed(error)) => error.message.len(),
            other => panic!("{other:?}"),
        };
        assert!(length("1") > 1_000);
        assert_eq!(length("29999"), 100);
    }

    #[test]
    fn a_row_takes_few_bytes() {
        assert!(size_of::<(KeyHash, Kept)>() <= 40);
    }
}
