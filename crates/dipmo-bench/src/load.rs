//! The messages of a run: 1 KB of JSON each, made before anything is measured.

use dipmo_domain::Headers;
use dipmo_inbox::{Body, Identity, NewMessage, Record};

use crate::chance::Chance;

/// How many aggregates the messages are about.
const AGGREGATES: u64 = 20_000;

/// The length of a payload, in bytes.
const PAYLOAD_BYTES: usize = 1_024;

/// What goes through the store.
pub(crate) struct Load {
    messages: Vec<NewMessage>,
    count: u32,
}

impl Load {
    /// So many messages, the same ones in every run.
    pub(crate) fn new(count: u32) -> Self {
        Self::seeded(1, count)
    }

    /// So many messages that no other seed gives, with ids that land anywhere in an index.
    pub(crate) fn seeded(seed: u64, count: u32) -> Self {
        let mut chance = Chance::new(seed);
        let mut make = |number| {
            let (id, account) = (chance.uuid(), aggregate(chance.below(AGGREGATES)));
            message(number, id, account, &mut chance)
        };
        let messages = (0..count).map(&mut make).collect();
        Self { messages, count }
    }

    /// The same with ids that grow with time, from a moment in milliseconds on.
    pub(crate) fn growing(seed: u64, count: u32, from_millis: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut make = |number: u32| {
            let id = chance.uuid_at(from_millis + u64::from(number));
            let account = aggregate(chance.below(AGGREGATES));
            message(number, id, account, &mut chance)
        };
        let messages = (0..count).map(&mut make).collect();
        Self { messages, count }
    }

    /// One message for every account, so that all of them are there.
    pub(crate) fn every_account() -> Self {
        let mut chance = Chance::new(2);
        let mut make = |number: u64| {
            let id = chance.uuid();
            message(u32::try_from(number).unwrap_or(0), id, aggregate(number), &mut chance)
        };
        let messages: Vec<_> = (0..AGGREGATES).map(&mut make).collect();
        let count = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        Self { messages, count }
    }

    /// So many messages of one account.
    pub(crate) fn one_account(seed: u64, count: u32) -> Self {
        let mut chance = Chance::new(seed);
        let mut make = |number| {
            let id = chance.uuid();
            message(number, id, "acc-hot".to_owned(), &mut chance)
        };
        let messages = (0..count).map(&mut make).collect();
        Self { messages, count }
    }

    /// The messages, in the order of their arrival.
    pub(crate) fn messages(&self) -> &[NewMessage] {
        &self.messages
    }

    /// How many they are.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    /// Their payloads.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().map(|message| match &message.body {
            Body::Json(json) => json.as_str(),
            Body::Undecodable { .. } => "null",
        })
    }
}

fn aggregate(number: u64) -> String {
    format!("acc-{number:08}")
}

fn message(number: u32, id: String, aggregate: String, chance: &mut Chance) -> NewMessage {
    let payload = payload(&id, &aggregate, chance);
    let trace = format!("00-{}-{}-01", chance.hex(32), chance.hex(16));
    let headers = Headers::default()
        .with("traceparent", &trace)
        .with("ce_source", "crm")
        .with("ce_type", "AccountUpdated");
    let record = Record {
        topic: "accounts".to_owned(),
        partition: i32::try_from(number % 8).unwrap_or(0),
        offset: i64::from(number / 8),
        key: Some(aggregate.clone().into_bytes()),
        headers,
        timestamp_millis: 1_767_323_045_678,
        value: Some(payload.into_bytes()),
    };
    let identity = Identity {
        source_system: "crm".to_owned(),
        message_id: Some(id),
        aggregate_id: Some(aggregate),
        event_type: Some("AccountUpdated".to_owned()),
        ..Identity::default()
    };
    NewMessage::from_record(&record, &identity)
}

/// Some forty values in three levels, as an event of a business has them.
fn payload(id: &str, aggregate: &str, chance: &mut Chance) -> String {
    let mut text = format!(
        r#"{{"eventId":"{id}","aggregateId":"{aggregate}","eventType":"AccountUpdated","occurredAt":"2026-01-02T03:04:05.678Z","amount":{},"currency":"EUR","customer":{{"firstName":"{}","lastName":"{}","email":"{}@example.com","phone":"+49{}","active":true,"score":{}}},"items":["#,
        chance.below(1_000_000),
        chance.hex(8),
        chance.hex(10),
        chance.hex(12),
        chance.below(10_000_000_000),
        chance.below(1_000),
    );
    let mut comma = "";
    while text.len() < PAYLOAD_BYTES - 94 {
        text.push_str(&format!(
            r#"{comma}{{"sku":"SKU-{}","qty":{},"price":{}.{:02},"desc":"Standard item {}"}}"#,
            chance.hex(10),
            chance.below(10),
            chance.below(500),
            chance.below(100),
            chance.hex(12),
        ));
        comma = ",";
    }
    text.push_str(r#"],"note":""#);
    let rest = PAYLOAD_BYTES.saturating_sub(text.len() + 2);
    format!(r#"{text}{}"}}"#, chance.hex(rest))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn messages_are_json_of_one_kilobyte_and_all_different() {
        let load = Load::new(1_000);
        let keys: HashSet<_> = load.messages().iter().map(|m| *m.dedupe_key.as_bytes()).collect();
        assert_eq!(keys.len(), 1_000);
        assert!(load.messages().iter().all(|message| matches!(message.body, Body::Json(_))));
        assert!(
            load.payloads().all(|text| text.len() == PAYLOAD_BYTES),
            "{:?}",
            load.payloads().next()
        );
    }

    #[test]
    fn every_run_has_the_same_messages() {
        assert_eq!(Load::new(10).messages(), Load::new(10).messages());
    }
}
