//! What was sent, for the books at the end.

use std::collections::BTreeMap;

use dipmo_inbox::NewMessage;

use super::step::{Step, message};

/// The steps of each aggregate, from number 1.
#[derive(Debug, Default)]
pub(crate) struct Sent(BTreeMap<String, Vec<Step>>);

impl Sent {
    /// The next step of an aggregate; it gets its number here.
    pub(crate) fn next(&mut self, aggregate: &str, step: Step) -> NewMessage {
        let steps = self.0.entry(aggregate.to_owned()).or_default();
        let n = i64::try_from(steps.len()).unwrap() + 1;
        steps.push(Step { n, ..step });
        message(aggregate, &steps[steps.len() - 1])
    }

    /// A step that was sent before, again.
    pub(crate) fn again(&self, aggregate: &str, place: usize) -> NewMessage {
        message(aggregate, &self.0[aggregate][place])
    }

    /// How many steps an aggregate has.
    pub(crate) fn len(&self, aggregate: &str) -> usize {
        self.0.get(aggregate).map_or(0, Vec::len)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &Vec<Step>)> {
        self.0.iter()
    }

    /// How many steps of each aggregate tell a destination; without those that tell it nothing.
    pub(crate) fn telling(&self, destination: &str) -> BTreeMap<String, i64> {
        let tells = |step: &&Step| step.tell.iter().any(|to| to == destination);
        let telling = self.all().map(|(aggregate, steps)| {
            (aggregate.clone(), i64::try_from(steps.iter().filter(tells).count()).unwrap())
        });
        telling.filter(|(_, count)| *count > 0).collect()
    }
}
