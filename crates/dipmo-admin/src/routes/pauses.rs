//! What is paused or steered, by whom, since when and why.

use std::collections::BTreeMap;

use dipmo_store::admin::{Control, Setting, Steered};
use serde::Serialize;
use utoipa::ToSchema;

use crate::moment::Moment;

/// A pause.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Pause {
    /// Who paused it.
    by: String,
    /// Why, in their words.
    reason: String,
    since: Moment,
}

/// How many calls a second an instance makes at most, by the word of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rate {
    per_second: u32,
    by: String,
    reason: String,
    since: Moment,
}

/// A breaker that an operator opened or closed last.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Breaker {
    /// `open` stays so; one that was `closed` goes by itself again since then.
    state: &'static str,
    by: String,
    reason: String,
    since: Moment,
}

/// What operators say of destinations beside pauses, by name.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Valves {
    breakers: BTreeMap<String, Breaker>,
    rates: BTreeMap<String, Rate>,
}

impl Valves {
    /// All breakers and rates among these controls.
    pub(crate) fn of(controls: &[Control]) -> Self {
        let mut valves = Self::default();
        for control in controls {
            let (name, by, reason) =
                (control.of.name.clone(), control.actor.clone(), control.reason.clone());
            let since = Moment(control.since);
            match control.setting {
                Setting::Paused => {}
                Setting::Rate(per_second) => {
                    valves.rates.insert(name, Rate { per_second, by, reason, since });
                }
                Setting::Breaker { open } => {
                    let state = if open { "open" } else { "closed" };
                    valves.breakers.insert(name, Breaker { state, by, reason, since });
                }
            }
        }
        valves
    }
}

/// All that is paused, by name.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Paused {
    sources: BTreeMap<String, Pause>,
    destinations: BTreeMap<String, Pause>,
}

impl Pause {
    /// The pause that a control is, if it is one.
    pub(crate) fn of(control: &Control) -> Option<Self> {
        (control.setting == Setting::Paused).then(|| Self {
            by: control.actor.clone(),
            reason: control.reason.clone(),
            since: Moment(control.since),
        })
    }
}

impl Paused {
    /// All pauses among these controls.
    pub(crate) fn of(controls: &[Control]) -> Self {
        let mut paused = Self::default();
        for control in controls {
            let Some(pause) = Pause::of(control) else { continue };
            let of_kind = match control.of.kind {
                Steered::Source => &mut paused.sources,
                Steered::Destination => &mut paused.destinations,
            };
            of_kind.insert(control.of.name.clone(), pause);
        }
        paused
    }

    /// The pause of one thing.
    pub(crate) fn find(&self, kind: Steered, name: &str) -> Option<Pause> {
        self.of_kind(kind).get(name).cloned()
    }

    /// The names of what is paused.
    pub(crate) fn names(&self, kind: Steered) -> impl Iterator<Item = &String> {
        self.of_kind(kind).keys()
    }

    const fn of_kind(&self, kind: Steered) -> &BTreeMap<String, Pause> {
        match kind {
            Steered::Source => &self.sources,
            Steered::Destination => &self.destinations,
        }
    }
}
