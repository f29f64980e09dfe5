//! Intents: effects that were checked, as the outbox takes them.

use std::collections::HashSet;

use dipmo_domain::{Destination, Headers, Json, RecordKey};

use crate::size::check_text;
use crate::{Effect, Refusal};

/// What goes into the outbox: every field fits its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Where it goes.
    pub destination: Destination,
    /// `AGGREGATE_TYPE`.
    pub aggregate_type: String,
    /// `AGGREGATE_ID`.
    pub aggregate_id: String,
    /// `EVENT_TYPE`.
    pub event_type: String,
    /// `EVENT_VERSION`.
    pub event_version: u16,
    /// `PAYLOAD`.
    pub payload: Json,
    /// `HEADERS`.
    pub headers: Headers,
    /// The records that it names, each once; none for an intent that is one message.
    pub records: Vec<RecordKey>,
    /// Whether the process wants to hear how it went.
    pub expects_outcome: bool,
}

/// The largest version that fits a column of 16 bits with a sign.
const MAX_EVENT_VERSION: u16 = 32_767;

impl Effect {
    /// Fills in what the process left open, and checks every size.
    pub(crate) fn checked(self, process: &str, instance: &str) -> Result<Intent, Refusal> {
        let refuse = {
            let (destination, event_type) = (self.destination.to_string(), self.event_type.clone());
            |problem| Refusal::EffectInvalid { destination, event_type, problem }
        };
        self.fill(process, instance).and_then(Intent::checked).map_err(refuse)
    }

    fn fill(self, process: &str, instance: &str) -> Result<Intent, String> {
        Ok(Intent {
            destination: self.destination,
            aggregate_type: self.aggregate_type.unwrap_or_else(|| process.to_owned()),
            aggregate_id: self.aggregate_id.unwrap_or_else(|| instance.to_owned()),
            event_type: self.event_type,
            event_version: self.event_version,
            payload: self.payload.map_err(|reason| format!("the payload has no JSON: {reason}"))?,
            headers: self.headers,
            records: self.records,
            expects_outcome: self.expects_outcome,
        })
    }
}

impl Intent {
    fn checked(mut self) -> Result<Self, String> {
        check_destination(&self.destination)?;
        check_text("AGGREGATE_TYPE", &self.aggregate_type, 50)?;
        check_text("AGGREGATE_ID", &self.aggregate_id, 200)?;
        check_text("EVENT_TYPE", &self.event_type, 200)?;
        if self.event_version > MAX_EVENT_VERSION {
            return Err(format!("EVENT_VERSION is above {MAX_EVENT_VERSION}"));
        }
        for record in &self.records {
            check_text("a record key", &record.0, 255)?;
        }
        let mut seen = HashSet::new();
        self.records.retain(|record| seen.insert(record.clone()));
        Ok(self)
    }
}

/// A destination can be built field by field, so it is read once more as the outbox will read it.
fn check_destination(destination: &Destination) -> Result<(), String> {
    match destination.to_string().parse::<Destination>() {
        Ok(parsed) if parsed == *destination => Ok(()),
        Ok(parsed) => Err(format!("would be read back as {parsed}")),
        Err(error) => Err(error.problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect() -> Effect {
        Effect::new(Destination::internal(), "HitQualified")
    }

    fn problem(effect: Effect) -> String {
        match effect.checked("HIT", "H-1") {
            Err(Refusal::EffectInvalid { problem, .. }) => problem,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_is_left_open_is_the_instance() {
        let intent = effect().checked("HIT", "H-1").unwrap();
        assert_eq!((intent.aggregate_type.as_str(), intent.aggregate_id.as_str()), ("HIT", "H-1"));
        assert_eq!((intent.event_version, intent.payload.as_str()), (1, "{}"));
    }

    #[test]
    fn what_no_column_holds_is_found_before_the_database_finds_it() {
        let topic = |topic: &str| Destination::Kafka { topic: topic.to_owned() };
        let record = |key: &str| effect().records([RecordKey(key.to_owned())]);
        let numbered = std::collections::HashMap::from([([1], 1)]);
        for (effect, expected) in [
            (effect().about("T".repeat(51), "x"), "AGGREGATE_TYPE is longer than 50 characters"),
            (effect().about("T", "é".repeat(201)), "AGGREGATE_ID is longer than 200 characters"),
            (effect().about("T", ""), "AGGREGATE_ID is empty"),
            (effect().about("T", "a\0"), "AGGREGATE_ID has a NUL character"),
            (Effect::new(topic("t"), "E".repeat(201)), "EVENT_TYPE is longer than 200 characters"),
            (effect().version(32_768), "EVENT_VERSION is above 32767"),
            (Effect::new(topic("a b"), "E"), "the topic has ' '"),
            (Effect::new(topic(&"t".repeat(200)), "E"), "longer than 200 characters"),
            (effect().payload(&numbered), "the payload has no JSON"),
            (record(""), "a record key is empty"),
        ] {
            let problem = problem(effect);
            assert!(problem.starts_with(expected), "{problem:?} is not {expected:?}");
        }
        let widest = effect().about("é".repeat(50), "é".repeat(200)).version(32_767);
        assert!(widest.checked("HIT", "H-1").is_ok());
    }

    #[test]
    fn a_record_that_is_named_twice_is_sent_once() {
        let keys = ["b", "a", "b"].map(|key| RecordKey(key.to_owned()));
        let intent = effect().records(keys).checked("HIT", "H-1").unwrap();
        assert_eq!(intent.records, ["b", "a"].map(|key| RecordKey(key.to_owned())));
    }
}
