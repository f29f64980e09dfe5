//! What is wanted of a list, as SQL: `l` is the log, `e` the exception row, and `k` the record of a unit.

use dipmo_domain::{Fingerprint, InboxStatus, OutboxStatus, Timestamp};
use dipmo_store::BoxStatus;
use dipmo_store::admin::{MessageFilter, UnitFilter, Waits};
use rusqlite::types::Value;

/// Conditions that must all hold, and what they compare with: a `?` of the text for each, in order.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    conditions: Vec<String>,
    pub(crate) params: Vec<Value>,
}

impl Wanted {
    /// The conditions as one, which holds when there are none.
    pub(crate) fn text(&self) -> String {
        if self.conditions.is_empty() { "1".to_owned() } else { self.conditions.join(" AND ") }
    }

    /// Adds a condition that compares with nothing.
    pub(crate) fn plain(&mut self, condition: &str) {
        self.conditions.push(condition.to_owned());
    }

    fn equal(&mut self, column: &str, value: Option<impl Into<Value>>) {
        self.compared(&format!("{column} = ?"), value);
    }

    fn compared(&mut self, condition: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.plain(condition);
            self.params.push(value.into());
        }
    }

    /// Any of these, or none asked for.
    fn status<S: BoxStatus>(&mut self, column: &str, any: &[S]) {
        if !any.is_empty() {
            let names: Vec<_> = any.iter().map(|status| format!("'{}'", status.name())).collect();
            self.plain(&format!("{column} IN ({})", names.join(", ")));
        }
    }

    fn failure(&mut self, group: Option<Fingerprint>, ended: &str) {
        let counts = format!("e.fingerprint = ? AND e.outcome IS NULL AND e.status <> '{ended}'");
        self.compared(&counts, group.map(|group| group.0));
    }

    fn between(&mut self, column: &str, since: Option<Timestamp>, until: Option<Timestamp>) {
        self.compared(&format!("{column} >= ?"), since.map(Timestamp::as_micros));
        self.compared(&format!("{column} < ?"), until.map(Timestamp::as_micros));
    }

    /// Occurs in any of these, as it is written.
    fn within(&mut self, columns: &[&str], text: Option<&String>) {
        let Some(text) = text else { return };
        let any: Vec<_> = columns.iter().map(|column| format!("instr({column}, ?) > 0")).collect();
        self.plain(&format!("({})", any.join(" OR ")));
        self.params.extend(columns.iter().map(|_| Value::from(text.clone())));
    }
}

/// Which messages, where their status is in this column.
pub(crate) fn messages(filter: &MessageFilter, status: &str) -> Wanted {
    let mut wanted = Wanted::default();
    wanted.status(status, &filter.status);
    match filter.waits {
        // What cannot be decoded stands in the line of its key as well, and waits for a person.
        Some(Waits::Held) => wanted.plain("e.held = 1 AND e.status <> 'SERDE_ERROR'"),
        Some(Waits::Parked) => wanted.plain("e.parked_until IS NOT NULL"),
        None => {}
    }
    wanted.equal("l.topic", filter.topic.clone());
    wanted.equal("l.event_type", filter.event_type.clone());
    wanted.equal("l.source_system", filter.source_system.clone());
    wanted.equal("l.aggregate_id", filter.aggregate.clone());
    wanted.equal("l.message_id", filter.message_id.clone());
    wanted.equal("e.error_code", filter.error_code.clone());
    wanted.failure(filter.failure, InboxStatus::Processed.as_str());
    wanted.between("l.received_at", filter.since, filter.until);
    let columns = [
        "l.payload",
        "l.headers",
        "l.key_str",
        "l.message_id",
        "l.aggregate_id",
        "e.error_message",
    ];
    wanted.within(&columns, filter.text.as_ref());
    wanted
}

/// Which units, where their status is in this column.
pub(crate) fn units(filter: &UnitFilter, status: &str) -> Wanted {
    let mut wanted = Wanted::default();
    wanted.status(status, &filter.status);
    match filter.waits {
        Some(Waits::Held) => wanted.plain("e.held = 1"),
        Some(Waits::Parked) => wanted.plain("0"),
        None => {}
    }
    wanted.equal("l.destination", filter.destination.as_ref().map(ToString::to_string));
    wanted.equal("l.event_type", filter.event_type.clone());
    wanted.equal("l.aggregate_id", filter.aggregate.clone());
    wanted.equal("k.record_key", filter.record.clone());
    wanted.equal("l.id", filter.intent.map(|intent| intent.0));
    wanted.equal("l.cause_id", filter.cause.map(|cause| cause.0));
    wanted.equal("e.error_code", filter.error_code.clone());
    wanted.failure(filter.failure, OutboxStatus::Dispatched.as_str());
    wanted.between("l.created_at", filter.since, filter.until);
    let columns = ["l.payload", "l.headers", "k.record_key", "l.aggregate_id", "e.error_message"];
    wanted.within(&columns, filter.text.as_ref());
    wanted
}
