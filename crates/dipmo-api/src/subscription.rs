//! Subscriptions: which messages a process or a handler takes.

use std::fmt;

/// A claim on messages, by topic and event type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// A topic, or the beginning of topics and a `*`, such as `internal:*`.
    pub topic: String,
    /// The event types.
    pub events: EventTypes,
}

/// The event types of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventTypes {
    /// Every message of the topic, even one that names no event type.
    All,
    /// These alone.
    Named(Vec<String>),
}

impl Subscription {
    /// Every message of a topic.
    #[must_use]
    pub fn all(topic: &str) -> Self {
        Self { topic: topic.to_owned(), events: EventTypes::All }
    }

    /// Some event types of a topic.
    #[must_use]
    pub fn of<'a>(topic: &str, events: impl IntoIterator<Item = &'a str>) -> Self {
        let events = EventTypes::Named(events.into_iter().map(str::to_owned).collect());
        Self { topic: topic.to_owned(), events }
    }

    /// True for a message that is claimed.
    #[must_use]
    pub fn takes(&self, topic: &str, event_type: Option<&str>) -> bool {
        let topic_fits = match self.topic.strip_suffix('*') {
            Some(beginning) => topic.starts_with(beginning),
            None => topic == self.topic,
        };
        topic_fits && self.events.have(event_type)
    }

    /// True when there could be a message that both claim.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let topics = match (self.topic.strip_suffix('*'), other.topic.strip_suffix('*')) {
            (Some(a), Some(b)) => a.starts_with(b) || b.starts_with(a),
            (Some(beginning), None) => other.topic.starts_with(beginning),
            (None, Some(beginning)) => self.topic.starts_with(beginning),
            (None, None) => self.topic == other.topic,
        };
        topics && self.events.meet(&other.events)
    }

    /// What makes it a claim on nothing.
    pub(crate) fn problem(&self) -> Option<String> {
        let beginning = self.topic.strip_suffix('*').unwrap_or(&self.topic);
        if beginning.contains('*') {
            return Some(format!("the topic {:?} may have a '*' at its end only", self.topic));
        }
        if self.topic.is_empty() || self.topic.len() > 200 {
            return Some(format!("the topic {:?} must have 1 to 200 characters", self.topic));
        }
        (self.events == EventTypes::Named(Vec::new()))
            .then(|| format!("the subscription of {:?} names no event type", self.topic))
    }
}

impl EventTypes {
    fn have(&self, event_type: Option<&str>) -> bool {
        match (self, event_type) {
            (Self::All, _) => true,
            (Self::Named(names), Some(name)) => names.iter().any(|known| known == name),
            (Self::Named(_), None) => false,
        }
    }

    fn meet(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => true,
            (Self::Named(names), other) => names.iter().any(|name| other.have(Some(name))),
        }
    }
}

impl fmt::Display for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.events {
            EventTypes::All => write!(f, "everything of {}", self.topic),
            EventTypes::Named(names) => write!(f, "{} of {}", names.join(", "), self.topic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_the_rest_of_a_topic() {
        let internal = Subscription::of("internal:*", ["BlockCreated"]);
        assert!(internal.takes("internal:blocks", Some("BlockCreated")));
        assert!(!internal.takes("internal:blocks", Some("BlockRemoved")));
        assert!(!internal.takes("blocks", Some("BlockCreated")));
        assert!(!internal.takes("internal:blocks", None));
        assert!(Subscription::all("internal:blocks").takes("internal:blocks", None));
    }

    #[test]
    fn claims_meet_where_one_message_could_be_for_both() {
        let meets = |a: &Subscription, b: &Subscription| (a.meets(b), b.meets(a));
        let star = Subscription::of("internal:*", ["A", "B"]);
        for (other, expected) in [
            (Subscription::of("internal:x", ["B"]), true),
            (Subscription::of("internal:x", ["C"]), false),
            (Subscription::of("internal:x*", ["A"]), true),
            (Subscription::of("orders", ["A"]), false),
            (Subscription::all("int*"), true),
        ] {
            assert_eq!(meets(&star, &other), (expected, expected), "{other}");
        }
    }

    #[test]
    fn a_claim_on_nothing_is_found() {
        assert!(Subscription::all("a*b").problem().is_some());
        assert!(Subscription::all("").problem().is_some());
        assert!(Subscription::of("a", []).problem().is_some());
        assert_eq!(Subscription::all("*").problem(), None);
    }
}
