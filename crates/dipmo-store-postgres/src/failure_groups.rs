//! Groups that the failures of a transaction belong to.
//!
//! **Invariant:** a transaction writes its groups once, in the order of their fingerprints, behind all that
//! it may have to wait for. Whoever waits for a group that is new elsewhere then holds nothing that the
//! other one still wants, and no circle of waiting comes about.

use std::collections::BTreeMap;

use dipmo_domain::{ErrorStage, Failure, Fingerprint};

use crate::sql::{self, Call, Which, params};

/// Groups that must be there when the transaction is committed.
#[derive(Default)]
pub(crate) struct Groups(BTreeMap<Fingerprint, Group>);

struct Group {
    which: Which,
    stage: Option<ErrorStage>,
    code: String,
    pattern: String,
    /// The last of this transaction that failed so.
    sample: i64,
}

impl Groups {
    /// The group of a failure of a message or unit.
    pub(crate) fn add(
        &mut self,
        which: Which,
        stage: Option<ErrorStage>,
        failure: &Failure,
        id: i64,
    ) -> Fingerprint {
        let fingerprint = Fingerprint::of(which.side().as_str(), stage, failure);
        let group = self.0.entry(fingerprint).or_insert_with(|| Group {
            which,
            stage,
            code: failure.code().to_owned(),
            pattern: failure.pattern(),
            sample: id,
        });
        group.sample = group.sample.max(id);
        fingerprint
    }

    /// Takes those of another part of the transaction as well.
    pub(crate) fn extend(&mut self, other: Self) {
        for (fingerprint, group) in other.0 {
            let sample = group.sample;
            let known = self.0.entry(fingerprint).or_insert(group);
            known.sample = known.sample.max(sample);
        }
    }

    /// The statement; none when nothing failed.
    pub(crate) fn call(self) -> Option<Call> {
        if self.0.is_empty() {
            return None;
        }
        let of = self.0.values();
        Some(sql::failure_group_put().with(params![
            self.0.keys().map(|fingerprint| fingerprint.0).collect::<Vec<_>>(),
            of.clone().map(|group| group.which.side().as_str()).collect::<Vec<_>>(),
            of.clone().map(|group| group.stage.map(ErrorStage::as_str)).collect::<Vec<_>>(),
            of.clone().map(|group| group.code.clone()).collect::<Vec<_>>(),
            of.clone().map(|group| group.pattern.clone()).collect::<Vec<_>>(),
            of.map(|group| group.sample).collect::<Vec<_>>(),
        ]))
    }
}
