//! Instances of processes, kept in memory.

use std::collections::HashMap;

use dipmo_api::{Advanced, InstanceView};
use dipmo_domain::Json;

type Key = (&'static str, String);

/// What instances have come to.
#[derive(Default)]
pub(super) struct Instances {
    rows: HashMap<Key, Row>,
    /// The last version of each source that each has taken.
    seen: HashMap<(Key, String), i64>,
}

/// A row of a process.
pub(super) struct Row {
    pub(super) state: &'static str,
    data: Json,
    version: i64,
}

impl Instances {
    pub(super) fn row(&self, process: &'static str, id: &str) -> Option<&Row> {
        self.rows.get(&(process, id.to_owned()))
    }

    pub(super) fn seen(&self, process: &'static str, id: &str, source: &str) -> Option<i64> {
        self.seen.get(&((process, id.to_owned()), source.to_owned())).copied()
    }

    pub(super) fn saw(&mut self, process: &'static str, id: &str, source: &str, version: i64) {
        let last = self.seen.entry(((process, id.to_owned()), source.to_owned()));
        last.and_modify(|last| *last = version.max(*last)).or_insert(version);
    }

    pub(super) fn took(&mut self, process: &'static str, id: &str, step: &Advanced) {
        let row = Row { state: step.state, data: step.data.clone(), version: step.version };
        self.rows.insert((process, id.to_owned()), row);
    }
}

impl Row {
    pub(super) fn view(&self, seen: Option<i64>) -> InstanceView<'_> {
        let Self { state, data, version } = self;
        InstanceView { state, data, version: *version, last_source_version: seen }
    }
}
