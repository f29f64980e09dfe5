//! The instances of a batch, folded in memory: three messages of one instance are three decisions
//! and one write.

use std::collections::{BTreeMap, HashMap};

use dipmo_api::{Advanced, InstanceView};
use dipmo_domain::{ProcessKey, Timestamp};
use dipmo_inbox::Message;
use dipmo_store::{StateRow, StateWrite};

/// Rows as they were read, and as the decisions of this batch left them.
#[derive(Default)]
pub(crate) struct Instances {
    places: HashMap<ProcessKey, usize>,
    /// In the order in which they were met, so that a batch writes the same way each time.
    known: Vec<Instance>,
}

struct Instance {
    row: Option<StateRow>,
    key: ProcessKey,
    /// The VERSION that the database has.
    stored_version: Option<i64>,
    changed: bool,
}

impl Instances {
    /// True for an instance that does not have to be read.
    pub(crate) fn knows(&self, key: &ProcessKey) -> bool {
        self.places.contains_key(key)
    }

    /// Takes in what was read: `None` is an instance that is not there yet.
    pub(crate) fn learn(&mut self, key: ProcessKey, row: Option<StateRow>) {
        if !self.knows(&key) {
            self.places.insert(key.clone(), self.known.len());
            let stored_version = row.as_ref().map(|row| row.version);
            self.known.push(Instance { row, key, stored_version, changed: false });
        }
    }

    /// The row as it is now.
    pub(crate) fn row(&self, key: &ProcessKey) -> Option<&StateRow> {
        self.places.get(key).and_then(|place| self.known[*place].row.as_ref())
    }

    /// Takes a step; answers the state before it.
    pub(crate) fn advance(
        &mut self,
        key: &ProcessKey,
        step: &Advanced,
        message: &Message,
        now: Timestamp,
    ) -> Option<String> {
        let instance = &mut self.known[*self.places.get(key)?];
        let last_event_ts = message.event_ts.unwrap_or(now);
        let (context, failure) = (step.data.clone(), step.failure.clone());
        let from = match &mut instance.row {
            Some(row) => {
                (row.version, row.attempts, row.last_event_ts) = (step.version, 0, last_event_ts);
                (row.context, row.failure) = (context, failure);
                Some(std::mem::replace(&mut row.state, step.state.to_owned()))
            }
            row @ None => {
                *row = Some(StateRow {
                    key: key.clone(),
                    state: step.state.to_owned(),
                    version: step.version,
                    context,
                    event_versions: BTreeMap::new(),
                    attempts: 0,
                    last_event_ts,
                    failure,
                });
                None
            }
        };
        instance.changed = true;
        self.note_version(key, message);
        from
    }

    /// Remembers the producer's version of a message that was taken, whatever it changed.
    /// Answers whether something was remembered that was not known before.
    pub(crate) fn note_version(&mut self, key: &ProcessKey, message: &Message) -> bool {
        let Some(version) = message.source_version else { return false };
        let Some(place) = self.places.get(key) else { return false };
        let instance = &mut self.known[*place];
        let Some(row) = &mut instance.row else { return false };
        let last = row.event_versions.get(&message.source_system);
        if last.is_some_and(|last| *last >= version) {
            return false;
        }
        row.event_versions.insert(message.source_system.clone(), version);
        if !instance.changed {
            // The row is written for this alone, and who read the old one must not write it.
            row.version += 1;
            instance.changed = true;
        }
        true
    }

    /// What has to be written, once.
    pub(crate) fn take_writes(&mut self) -> Vec<StateWrite> {
        let changed = self.known.iter_mut().filter(|instance| instance.changed);
        changed.filter_map(Instance::take_write).collect()
    }
}

impl Instance {
    fn take_write(&mut self) -> Option<StateWrite> {
        let row = self.row.as_ref()?;
        self.changed = false;
        let expected_version = self.stored_version.replace(row.version);
        Some(StateWrite {
            key: self.key.clone(),
            expected_version,
            version: row.version,
            state: row.state.clone(),
            context: row.context.clone(),
            event_versions: row.event_versions.clone(),
            attempts: row.attempts,
            last_event_ts: Some(row.last_event_ts),
            failure: row.failure.clone(),
        })
    }
}

/// A row as a process sees it, with the last version of one source.
pub(crate) fn view<'a>(row: &'a StateRow, source_system: &str) -> InstanceView<'a> {
    InstanceView {
        state: &row.state,
        data: &row.context,
        version: row.version,
        last_source_version: row.event_versions.get(source_system).copied(),
    }
}
