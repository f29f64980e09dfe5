//! Upcasters: old versions of an event brought up to the one that the process reads.
//!
//! **Invariant:** a process whose chain has a hole cannot be registered, so that no message can
//! meet the hole at night.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::EventKind;

/// One step, from a version to the next. Pure; the error is a sentence for the operator.
type Step = dyn Fn(Value) -> Result<Value, String> + Send + Sync;

/// The steps of all events of a process.
#[derive(Clone, Default)]
pub struct Upcasters {
    steps: BTreeMap<(&'static str, u16), Arc<Step>>,
    oldest: BTreeMap<&'static str, u16>,
    doubled: Option<(&'static str, u16)>,
}

/// A step that refused a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpcastFailed {
    pub(crate) from: u16,
    pub(crate) reason: String,
}

impl Upcasters {
    /// Adds the step of an event type from version `from` to `from + 1`. It is pure; its error is a
    /// sentence for the operator.
    pub fn add(
        &mut self,
        event_type: &'static str,
        from: u16,
        step: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
    ) {
        if self.steps.insert((event_type, from), Arc::new(step)).is_some() {
            self.doubled = Some((event_type, from));
        }
    }

    /// Says that no version before `oldest` was ever sent, so that no step leads up from there.
    pub fn begin_at(&mut self, event_type: &'static str, oldest: u16) {
        self.oldest.insert(event_type, oldest);
    }

    /// The oldest version that can be read; 1 unless [`Upcasters::begin_at`] said otherwise.
    #[must_use]
    pub fn oldest(&self, event_type: &str) -> u16 {
        self.oldest.get(event_type).copied().unwrap_or(1)
    }

    /// Applies every step from version `from` up to the current one.
    pub(crate) fn lift(
        &self,
        event: EventKind,
        from: u16,
        payload: Value,
    ) -> Result<Value, UpcastFailed> {
        (from..event.version).try_fold(payload, |payload, from| {
            let refuse = |reason: String| UpcastFailed { from, reason };
            let step = self.steps.get(&(event.name, from));
            let step = step.ok_or_else(|| refuse("there is no such upcaster".to_owned()))?;
            step(payload).map_err(refuse)
        })
    }

    /// What is missing or too much, given the events that the process reads.
    pub(crate) fn problem(&self, events: &[EventKind]) -> Option<String> {
        self.doubled
            .map(|(name, from)| format!("{name} has two upcasters from version {from}"))
            .or_else(|| events.iter().find_map(|event| self.hole(event)))
            .or_else(|| self.stray(events))
    }

    fn hole(&self, event: &EventKind) -> Option<String> {
        let EventKind { name, version } = *event;
        let hole =
            (self.oldest(name)..version).find(|at| !self.steps.contains_key(&(name, *at)))?;
        let next = hole + 1;
        Some(format!(
            "{name} is read at version {version}, but no upcaster leads from {hole} to {next}; \
             add it, or say with begin_at which version was the first"
        ))
    }

    fn stray(&self, events: &[EventKind]) -> Option<String> {
        let current = |name: &str| events.iter().find(|e| e.name == name).map_or(0, |e| e.version);
        let useful = |name: &str, from: u16| (self.oldest(name)..current(name)).contains(&from);
        let step = self.steps.keys().find(|(name, from)| !useful(name, *from));
        let late = || self.oldest.iter().find(|(name, oldest)| **oldest > current(name));
        step.map(|(name, from)| {
            format!("no event needs the upcaster of {name} from version {from}")
        })
        .or_else(|| late().map(|(name, at)| format!("{name} cannot begin at version {at}")))
    }
}

impl fmt::Debug for Upcasters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.steps.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const EVENT: EventKind = EventKind { name: "Moved", version: 3 };

    fn append(letter: &'static str, value: &Value) -> Value {
        json!(format!("{}{letter}", value.as_str().unwrap_or_default()))
    }

    fn chain() -> Upcasters {
        let mut chain = Upcasters::default();
        chain.add("Moved", 1, |value| Ok(append("b", &value)));
        chain.add("Moved", 2, |value| Ok(append("c", &value)));
        chain
    }

    #[test]
    fn steps_are_taken_in_order_from_where_the_message_is() {
        assert_eq!(chain().lift(EVENT, 1, json!("a")), Ok(json!("abc")));
        assert_eq!(chain().lift(EVENT, 2, json!("a")), Ok(json!("ac")));
        assert_eq!(chain().lift(EVENT, 3, json!("a")), Ok(json!("a")));
    }

    #[test]
    fn a_step_that_refuses_says_which() {
        let mut chain = chain();
        chain.add("Kept", 1, |_| Err("no house number".to_owned()));
        let event = EventKind { name: "Kept", version: 2 };
        let refused = UpcastFailed { from: 1, reason: "no house number".to_owned() };
        assert_eq!(chain.lift(event, 1, json!({})), Err(refused));
    }

    #[test]
    fn a_hole_a_double_and_a_stray_step_are_found() {
        let problem = |chain: &Upcasters| chain.problem(&[EVENT]).unwrap_or_default();
        assert_eq!(problem(&chain()), "");
        let mut bare = Upcasters::default();
        bare.add("Moved", 2, Ok);
        assert!(problem(&bare).contains("no upcaster leads from 1 to 2"), "{}", problem(&bare));
        bare.begin_at("Moved", 2);
        assert_eq!(problem(&bare), "");
        bare.begin_at("Moved", 4);
        assert!(!problem(&bare).is_empty());
        let mut stray = chain();
        stray.add("Moved", 3, Ok);
        assert_eq!(problem(&stray), "no event needs the upcaster of Moved from version 3");
        stray.add("Moved", 1, Ok);
        assert_eq!(problem(&stray), "Moved has two upcasters from version 1");
    }
}
