//! Timers: which are set, by the order of commits. One that fires must be set.

use std::collections::BTreeMap;

use dipmo_api::TimerChange;
use dipmo_inbox::Message;
use dipmo_store::TimerWrite;

/// The timers that are set: account and name, and what they were set with.
#[derive(Default)]
pub(crate) struct Timers(BTreeMap<(String, String), String>);

impl Timers {
    /// A timer was set or cancelled.
    pub(super) fn wrote(&mut self, write: &TimerWrite) {
        let key = |name: &str| (write.instance.id.clone(), name.to_owned());
        match &write.change {
            TimerChange::Set { name, payload, .. } => {
                self.0.insert(key(name), payload.as_str().to_owned());
            }
            TimerChange::Cancel { name } => {
                self.0.remove(&key(name));
            }
        }
    }

    /// A message came; answers what is wrong if it is a timer that was not set.
    pub(super) fn fired(&mut self, message: &Message) -> Option<String> {
        if message.source_system != "timer" {
            return None;
        }
        let account = message.aggregate_id.clone().unwrap_or_default();
        let name = message.message_id.split(':').nth(1).unwrap_or_default().to_owned();
        let payload = message.payload.as_ref().map(|payload| payload.as_str().to_owned());
        let set = self.0.remove(&(account, name));
        (set != payload).then(|| {
            format!("timer {} fired with {payload:?}; {set:?} was set", message.message_id)
        })
    }

    /// How many are set.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}
