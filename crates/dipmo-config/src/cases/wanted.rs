//! What a case expects, as trees that can be compared with what happened.

use std::time::Duration;

use super::expected::{Sent, Then, Timed, Written};
use super::plain::{Plain, PlainKind};
use crate::model::case::Target;
use crate::{Map, MapKey, Name, Place};

/// The keys of what is expected, each with its value, in the order in which they are said.
pub(super) fn wanted(then: &Then, from: &str) -> Vec<(&'static str, Plain)> {
    let mut all = vec![outcome(then, from)];
    let mut add = |key, value: Option<Plain>| all.extend(value.map(|value| (key, value)));
    add("data", then.data.as_ref().map(|data| map(data.place, data)));
    let writes = then.writes.as_ref();
    add("writes", writes.map(|writes| list(writes.place, writes.iter().map(Written::tree))));
    let sends = then.sends.as_ref();
    add("sends", sends.map(|sends| list(sends.place, sends.iter().flat_map(Sent::trees))));
    let timers = then.timers.as_ref();
    add("timers", timers.map(|timers| list(timers.place, timers.iter().map(Timed::tree))));
    add("fails", then.fails.as_ref().map(name));
    all
}

/// What becomes of the message. Exactly one of them is there: the reader has seen to it.
fn outcome(then: &Then, from: &str) -> (&'static str, Plain) {
    let goes = then.goes.as_ref().map(|goes| {
        let state = |target: &Target| match target {
            Target::State(state) => Plain::at(state.place, state.as_str()),
            Target::Same(place) => Plain::at(*place, from),
        };
        ("goes", list(goes.place, goes.iter().map(state)))
    });
    let stays = then.stays.as_ref().map(|why| ("stays", Plain::at(why.place, why.as_str())));
    let parks = then.parks.as_ref().map(|until| ("parks", Plain::at(until.place, until.value)));
    let rejects = then.rejects.as_ref().map(|code| ("rejects", name(code)));
    let retries = then.retries.as_ref().map(|code| ("retries", name(code)));
    let refuses = then.refuses.as_ref().map(|code| ("refuses", name(code)));
    let ignores = || ("ignores", Plain::at(then.place, true));
    goes.or(stays).or(parks).or(rejects).or(retries).or(refuses).unwrap_or_else(ignores)
}

impl Written {
    fn tree(&self) -> Plain {
        let (key, target) = match (&self.upsert, &self.delete, &self.statement) {
            (Some(table), ..) => ("upsert", Plain::at(table.place, table.as_str())),
            (_, Some(table), _) => ("delete", Plain::at(table.place, table.as_str())),
            (_, _, Some(statement)) => ("statement", Plain::at(statement.place, &**statement)),
            (None, None, None) => ("upsert", Plain::at(self.place, "")),
        };
        let mut entries = vec![(key.to_owned(), target)];
        if !self.set.is_empty() {
            entries.push(("set".to_owned(), map(self.place, &self.set)));
        }
        if !self.with.is_empty() {
            entries.push(("with".to_owned(), map(self.place, &self.with)));
        }
        tree(self.place, entries)
    }
}

impl Sent {
    /// One for each destination.
    fn trees(&self) -> impl Iterator<Item = Plain> {
        let mut rest = vec![("event", name(&self.event))];
        let version = self.version.as_ref();
        rest.extend(version.map(|it| ("version", Plain::at(it.place, it.get()))));
        rest.extend(self.aggregate_type.as_ref().map(|it| ("aggregate_type", name(it))));
        rest.extend(self.aggregate_id.as_ref().map(|it| ("aggregate_id", name(it))));
        let records = self.records.as_ref().map(|records| {
            let keys = records.iter().map(|key| Plain::at(key.place, key.value.as_str()));
            ("records", list(records.place, keys))
        });
        rest.extend(records);
        rest.extend(self.payload.clone().map(|payload| ("payload", payload)));
        if !self.headers.is_empty() {
            rest.push(("headers", map(self.place, &self.headers)));
        }
        let outcome = self.expects_outcome.as_ref();
        rest.extend(outcome.map(|it| ("expects_outcome", Plain::at(it.place, it.value))));
        self.to.iter().map(move |to| {
            let to = ("to", Plain::at(to.place, to.to_string()));
            let entries = std::iter::once(to).chain(rest.clone());
            tree(self.place, entries.map(|(key, value)| (key.to_owned(), value)).collect())
        })
    }
}

impl Timed {
    fn tree(&self) -> Plain {
        let mut entries = Vec::new();
        entries.extend(self.set.as_ref().map(|set| ("set", name(set))));
        entries.extend(self.cancel.as_ref().map(|cancel| ("cancel", name(cancel))));
        let after = self.after.as_ref();
        entries.extend(after.map(|it| ("after", Plain::at(it.place, duration(it.value)))));
        entries.extend(self.event.as_ref().map(|event| ("event", name(event))));
        entries.extend(self.payload.clone().map(|payload| ("payload", payload)));
        tree(self.place, entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

fn name(name: &Name) -> Plain {
    Plain::at(name.place, name.as_str())
}

fn list(place: Place, items: impl Iterator<Item = Plain>) -> Plain {
    Plain { place: Some(place), kind: PlainKind::List(items.collect()) }
}

fn tree(place: Place, entries: Vec<(String, Plain)>) -> Plain {
    Plain { place: Some(place), kind: PlainKind::Map(entries) }
}

fn map<K: MapKey>(place: Place, values: &Map<Plain, K>) -> Plain {
    tree(
        place,
        values.iter().map(|(key, value)| (key.as_str().to_owned(), value.clone())).collect(),
    )
}

/// A duration as it is written, in the largest units: `14d`, `1h30m`.
pub(super) fn duration(duration: Duration) -> String {
    let mut rest = duration.as_millis();
    let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let mut text = String::new();
    for (unit, millis) in units {
        if rest >= millis {
            text.push_str(&format!("{}{unit}", rest / millis));
            rest %= millis;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_in_its_largest_units() {
        for (millis, text) in
            [(0, "0s"), (250, "250ms"), (5_400_000, "1h30m"), (336 * 3_600_000, "14d")]
        {
            assert_eq!(duration(Duration::from_millis(millis)), text);
        }
    }
}
