//! All that is held back at one moment.

use std::collections::BTreeMap;
use std::fmt;

use dipmo_domain::{Code, Failure};
use dipmo_store::admin::{Control, Setting, Steered};

/// All that is held back at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orders {
    /// Those that are paused, by name.
    paused: BTreeMap<Steered, BTreeMap<String, Control>>,
    /// Breakers and rates.
    others: Vec<Control>,
}

impl Orders {
    /// What these controls say.
    #[must_use]
    pub fn of(controls: Vec<Control>) -> Self {
        let mut orders = Self::default();
        for control in controls {
            if control.setting == Setting::Paused {
                let of_kind = orders.paused.entry(control.of.kind).or_default();
                of_kind.insert(control.of.name.clone(), control);
            } else {
                orders.others.push(control);
            }
        }
        orders
    }

    /// What is said of breakers and rates, for who has them.
    #[must_use]
    pub fn others(&self) -> &[Control] {
        &self.others
    }

    /// True when nothing is paused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paused.is_empty()
    }

    /// Why something rests, when it is paused.
    #[must_use]
    pub fn paused(&self, kind: Steered, name: &str) -> Option<Failure> {
        let Control { actor, reason, since, .. } = self.paused.get(&kind)?.get(name)?;
        let text = format!("paused by {actor} since {since}: {reason}");
        Some(Failure::coded(code(kind), &text))
    }
}

/// The names of what is paused, for a line of the log.
impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (kind, names) in &self.paused {
            for name in names.keys() {
                write!(f, "{separator}{kind} {name}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// The code under which a pause can be looked up.
const fn code(kind: Steered) -> Code {
    match kind {
        Steered::Source => Code::new("source-paused"),
        Steered::Destination => Code::new("destination-paused"),
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;
    use dipmo_store::admin::SteeredThing;

    use super::*;

    #[test]
    fn a_pause_tells_who_why_and_since_when() {
        let of = SteeredThing { kind: Steered::Destination, name: "KAFKA:out".to_owned() };
        let (actor, reason) = ("ann".to_owned(), "INC-17".to_owned());
        let setting = Setting::Paused;
        let orders =
            Orders::of(vec![Control { of, setting, actor, reason, since: Timestamp::EPOCH }]);
        let why = orders.paused(Steered::Destination, "KAFKA:out").unwrap();
        assert_eq!(why.code(), "destination-paused");
        assert_eq!(why.message(), format!("paused by ann since {}: INC-17", Timestamp::EPOCH));
        assert_eq!(orders.paused(Steered::Source, "KAFKA:out"), None);
        assert_eq!(orders.paused(Steered::Destination, "KAFKA:other"), None);
        assert_eq!(orders.to_string(), "destination KAFKA:out");
        assert!(!orders.is_empty() && Orders::default().is_empty());
    }
}
