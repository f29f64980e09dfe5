//! Which records a job already has a row of, in a few bytes each.

use std::collections::HashMap;

use crate::mapping::fold;

/// The hash of a key. A job may have 200,000 of them, so that none is kept as it is; two that
/// are alike by chance among 2^128 are not to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeyHash([u8; 16]);

impl KeyHash {
    /// Of the very text.
    pub(super) fn exact(text: &str) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        Self(short)
    }

    /// Of all texts that Salesforce may take for the same external id. Two rows of such texts in
    /// one job would be refused as duplicates, or applied in any order.
    pub(super) fn folded(text: &str) -> Self {
        Self::exact(&fold(text))
    }
}

/// What a job already does about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has a row.
    Row(RowOf),
    /// A unit of it was taken out: nothing behind that may be part of the job.
    Out,
}

/// A row that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowOf {
    /// The very key that it has.
    pub(super) key: KeyHash,
    pub(super) state: RowState,
}

/// What a row says about its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowState {
    /// What one event says.
    Event,
    /// All that the database had, at this version if versions are counted. Every unit of a job was
    /// committed before its first row was read, so that such a row is as new as all of them; where
    /// a copy was read that lags behind, the version tells.
    Read(Option<i64>),
}

impl RowOf {
    /// Whether a unit that announces a version is delivered with this row.
    pub(super) fn covers(&self, key: KeyHash, announced: Option<i64>) -> bool {
        self.key == key
            && match (self.state, announced) {
                (RowState::Event, _) => false,
                (RowState::Read(_), None) => true,
                (RowState::Read(found), Some(announced)) => found >= Some(announced),
            }
    }
}

/// What a job does about its records so far.
#[derive(Debug, Default)]
pub(super) struct Keys(HashMap<KeyHash, Standing>);

impl Keys {
    pub(super) fn of(&self, folded: KeyHash) -> Option<Standing> {
        self.0.get(&folded).copied()
    }

    pub(super) fn set(&mut self, folded: KeyHash, standing: Standing) {
        self.0.insert(folded, standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_salesforce_takes_for_the_same_is_the_same() {
        let folded = ["C-1", " C-1", "c-1 ", "\tC-1\n"].map(KeyHash::folded);
        assert!(folded.iter().all(|hash| *hash == folded[0]));
        assert_ne!(KeyHash::folded("C-1"), KeyHash::folded("C-2"));
        assert_ne!(KeyHash::exact("C-1"), KeyHash::exact("c-1"));
        assert_eq!(KeyHash::folded("ÄÖ"), KeyHash::folded("äö"));
    }
}
