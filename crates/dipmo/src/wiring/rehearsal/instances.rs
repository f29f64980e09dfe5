//! Instances of processes, kept in memory.

use std::collections::{HashMap, HashSet};

use dipmo_api::{Advanced, InstanceView};
use dipmo_domain::Json;
use dipmo_store::{StateRow, is_blank};

type Key = (&'static str, String);

/// What instances have come to.
#[derive(Default)]
pub(super) struct Instances {
    rows: HashMap<Key, Row>,
    /// Those that a database was asked for.
    known: HashSet<Key>,
    /// The last version of each source that each has taken.
    seen: HashMap<(Key, String), i64>,
}

/// A row of a process.
pub(super) struct Row {
    pub(super) state: String,
    data: Json,
    version: i64,
}

impl Instances {
    pub(super) fn row(&self, process: &'static str, id: &str) -> Option<&Row> {
        self.rows.get(&(process, id.to_owned()))
    }

    /// Takes an instance as a database has it, or that there is none.
    pub(super) fn know(&mut self, process: &'static str, id: &str, found: Option<StateRow>) {
        let key = (process, id.to_owned());
        if !self.known.insert(key.clone()) {
            return;
        }
        if let Some(StateRow { state, context, version, event_versions, .. }) = found {
            let versions = event_versions.into_iter();
            self.seen.extend(versions.map(|(source, version)| ((key.clone(), source), version)));
            self.rows.insert(key, Row { state, data: context, version });
        }
    }

    /// True when nobody has to be asked for it.
    pub(super) fn knows(&self, process: &'static str, id: &str) -> bool {
        self.known.contains(&(process, id.to_owned()))
    }

    pub(super) fn seen(&self, process: &'static str, id: &str, source: &str) -> Option<i64> {
        self.seen.get(&((process, id.to_owned()), source.to_owned())).copied()
    }

    pub(super) fn saw(&mut self, process: &'static str, id: &str, source: &str, version: i64) {
        let last = self.seen.entry(((process, id.to_owned()), source.to_owned()));
        last.and_modify(|last| *last = version.max(*last)).or_insert(version);
    }

    pub(super) fn took(&mut self, process: &'static str, id: &str, step: &Advanced) {
        let row =
            Row { state: step.state.to_owned(), data: step.data.clone(), version: step.version };
        self.rows.insert((process, id.to_owned()), row);
    }
}

impl Row {
    /// True when what it remembered was erased.
    pub(super) fn is_blank(&self) -> bool {
        is_blank(&self.data)
    }

    pub(super) fn view(&self, seen: Option<i64>) -> InstanceView<'_> {
        let Self { state, data, version } = self;
        InstanceView { state, data, version: *version, last_source_version: seen }
    }
}
