//! The book of the producer: every message that it will ever send, and in which order.

use std::collections::BTreeMap;

use dipmo_inbox::{Identity, NewMessage, Record};

use super::audit::AuditAct;
use super::garbled::{BLOCKING, GARBLED, garble};
use super::note::{Act, Note, SLOTS, TimerAct};
use super::sends::Send;
use crate::chance::Chance;
use crate::options::{Options, RETRIES};

/// The name of the producer.
pub(crate) const SOURCE: &str = "producer";

/// A message of the book.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) message: NewMessage,
    /// True for one that has the id of another, and must not be processed.
    pub(crate) conflict: bool,
}

/// All messages.
pub(crate) struct Book {
    pub(crate) entries: Vec<Entry>,
}

struct Writer<'a> {
    options: &'a Options,
    chance: &'a Chance,
    /// For each account how many notes it has, and the last version.
    accounts: BTreeMap<String, (u32, i64)>,
    offset: i64,
}

impl Book {
    /// Writes a book by chance.
    pub(crate) fn write(options: &Options, chance: &Chance) -> Self {
        let mut writer = Writer { options, chance, accounts: BTreeMap::new(), offset: 0 };
        let mut entries: Vec<Entry> = Vec::new();
        while entries.len() < options.messages {
            let fresh = writer.next();
            // Two of one account in the wrong order: a gap that closes when the other one comes.
            if let [first, second] = &fresh[..]
                && chance.one_in(2)
            {
                entries.extend([second.clone(), first.clone()]);
            } else {
                entries.extend(fresh);
            }
            if chance.one_in(40) {
                entries.extend(writer.conflict(&entries));
            }
        }
        Self { entries }
    }
}

impl Writer<'_> {
    fn next(&mut self) -> Vec<Entry> {
        let number = self.chance.below(self.options.aggregates);
        let strict = number.is_multiple_of(2);
        let account = format!("{}-{number}", if strict { "S" } else { "L" });
        match self.chance.below(20) {
            0 => vec![self.entry("nowhere", &account, "Unheard", None, b"{}")],
            1 => vec![self.garbled(&account, strict)],
            2 | 3 => vec![self.audit(&account)],
            4..=7 => vec![self.note(&account, strict), self.note(&account, strict)],
            _ => vec![self.note(&account, strict)],
        }
    }

    fn note(&mut self, account: &str, strict: bool) -> Entry {
        let mut note = self.unnumbered();
        let (n, version) = self.count(account, strict);
        note.n = n;
        let value = serde_json::to_vec(&note).unwrap_or_default();
        self.entry(topic(strict), account, "Noted", version, &value)
    }

    fn unnumbered(&self) -> Note {
        let bad = self.chance.one_in(self.options.bad_messages);
        let act = if bad {
            self.chance.pick(&[Act::Reject, Act::Panic, Act::Poison, Act::RetryFirst(RETRIES + 1)])
        } else if self.chance.one_in(4) {
            Act::RetryFirst(self.chance.pick(&[1, 2, 3]))
        } else {
            Act::Take
        };
        let sends = (0..self.chance.below(3)).map(|_| self.send()).collect();
        let (timer, checks) = (self.timer(), self.chance.one_in(3));
        Note { n: 0, act, checks, timer, sends }
    }

    /// A note that cannot be read when it comes, and has no version. Its account may have to wait
    /// for somebody who can.
    fn garbled(&mut self, account: &str, strict: bool) -> Entry {
        let mut note = self.unnumbered();
        let (n, _) = self.accounts.entry(account.to_owned()).or_default();
        *n += 1;
        note.n = *n;
        let value = garble(&serde_json::to_vec(&note).unwrap_or_default());
        if self.chance.one_in(2) {
            let entry = self.entry(topic(strict), account, BLOCKING, None, &value);
            return Entry { message: entry.message.blocking_its_key(), ..entry };
        }
        self.entry(topic(strict), account, GARBLED, None, &value)
    }

    /// The next number of an account, and its version: mostly the next, now and then none, one
    /// that was there before, or one behind a gap that never closes.
    fn count(&mut self, account: &str, strict: bool) -> (u32, Option<i64>) {
        let (n, last) = self.accounts.entry(account.to_owned()).or_default();
        *n += 1;
        let lost = self.options.bad_messages > 0 && self.chance.one_in(60);
        let version = match self.chance.below(12) {
            0 => None,
            1 if *last > 0 => Some(*last),
            _ => {
                *last += if lost || (!strict && self.chance.one_in(4)) { 2 } else { 1 };
                Some(*last)
            }
        };
        (*n, version)
    }

    fn timer(&self) -> Option<TimerAct> {
        let slot = self.chance.below(SLOTS.len());
        match self.chance.below(8) {
            0 | 1 => Some(TimerAct::Set { slot, after_ms: self.chance.number(0..=4_000) }),
            2 => Some(TimerAct::Cancel { slot }),
            _ => None,
        }
    }

    fn send(&self) -> Send {
        let outcome = self.chance.one_in(3);
        match self.chance.below(6) {
            0 | 1 => Send::Kafka { outcome },
            2 => Send::Records { keys: self.keys(4), outcome },
            3 => Send::Mirror { to: format!("M-{}", self.chance.below(2)) },
            4 => Send::Bulk { keys: self.keys(6), outcome },
            _ => Send::Mail { outcome },
        }
    }

    /// Few records and many accounts: they meet. Each once, as the API has it.
    fn keys(&self, most: u64) -> Vec<String> {
        let first = self.chance.number(0..=3);
        (first..first + self.chance.number(1..=most)).map(|key| format!("R-{key}")).collect()
    }

    fn audit(&mut self, account: &str) -> Entry {
        let bad = self.chance.one_in(self.options.bad_messages);
        let act = if bad {
            self.chance.pick(&[AuditAct::Reject, AuditAct::Panic])
        } else {
            AuditAct::Count
        };
        let value = serde_json::to_vec(&act).unwrap_or_default();
        self.entry("audit", account, "Audited", None, &value)
    }

    /// Another message with the id of one that was sent.
    fn conflict(&self, entries: &[Entry]) -> Option<Entry> {
        let first = &entries[self.chance.below(entries.len())].message;
        let record = Record {
            topic: first.topic.clone(),
            offset: first.offset,
            timestamp_millis: -1,
            value: Some(b"{\"another\": true}".to_vec()),
            ..Record::default()
        };
        let identity = Identity {
            source_system: SOURCE.to_owned(),
            message_id: Some(first.message_id.clone()),
            aggregate_id: first.aggregate_id.clone(),
            event_type: first.event_type.clone(),
            ..Identity::default()
        };
        Some(Entry { message: NewMessage::from_record(&record, &identity), conflict: true })
    }

    fn entry(
        &mut self,
        topic: &str,
        account: &str,
        event_type: &str,
        version: Option<i64>,
        value: &[u8],
    ) -> Entry {
        self.offset += 1;
        let record = Record {
            topic: topic.to_owned(),
            offset: self.offset,
            timestamp_millis: -1,
            value: Some(value.to_vec()),
            ..Record::default()
        };
        let identity = Identity {
            source_system: SOURCE.to_owned(),
            message_id: Some(format!("p{}", self.offset)),
            aggregate_id: Some(account.to_owned()),
            event_type: Some(event_type.to_owned()),
            source_version: version,
            ..Identity::default()
        };
        Entry { message: NewMessage::from_record(&record, &identity), conflict: false }
    }
}

const fn topic(strict: bool) -> &'static str {
    if strict { "strict" } else { "loose" }
}
