//! The records between the producer and the inbox. Each has a place on its topic, and must be
//! answered for by the inbox exactly as the book says; one that Kafka lost stays open for ever.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dipmo_inbox::{NewMessage, Stored};
use dipmo_kafka::KafkaError;

use super::progress::Progress;
use super::stories::Answer;

/// Topic, partition and offset.
type Place = (String, i32, i64);

/// What must come back for a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Its name in the book.
    pub(crate) id: String,
    /// What the inbox must answer.
    pub(crate) answer: Answer,
    /// Whether the record tells its name; else the inbox names it by its place.
    pub(crate) tells_id: bool,
    /// Bytes of its key and its value.
    pub(crate) bytes: u64,
}

/// What is on its way.
pub(crate) struct Wire {
    progress: Arc<Progress>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// Acknowledged by Kafka, and not answered for.
    acknowledged: HashMap<Place, Ticket>,
    /// Answered by the inbox before we heard of the acknowledgement.
    answered: HashMap<Place, Answer>,
    /// The first offset of each partition that the inbox has not answered for.
    next: HashMap<(String, i32), i64>,
    /// The names in the book of what tells none, by those that the inbox gave it.
    names: HashMap<String, String>,
    /// Records that Kafka did not take, by its words.
    refused: Option<KafkaError>,
}

impl Wire {
    pub(crate) fn new(progress: Arc<Progress>) -> Self {
        Self { progress, open: Mutex::default() }
    }

    /// Kafka has it.
    pub(crate) fn acknowledged(&self, place: Place, ticket: Ticket) {
        let mut open = self.lock();
        if !ticket.tells_id {
            let (topic, partition, offset) = &place;
            let name = format!("{topic}:{partition}:{offset}");
            open.names.insert(name, ticket.id.clone());
        }
        match open.answered.remove(&place) {
            Some(answer) => {
                drop(open);
                self.progress.landed(&ticket, answer);
            }
            None => drop(open.acknowledged.insert(place, ticket)),
        }
    }

    /// The names in the book of messages that the inbox named itself.
    pub(crate) fn names(&self) -> HashMap<String, String> {
        self.lock().names.clone()
    }

    /// Kafka does not take it.
    pub(crate) fn refused(&self, error: KafkaError) {
        self.lock().refused.get_or_insert(error);
    }

    /// Why Kafka took no more, if that is so.
    pub(crate) fn problem(&self) -> Option<KafkaError> {
        self.lock().refused.clone()
    }

    /// The inbox has them. What it was given before, because the source began again, is none of
    /// the producer's: the inbox knew it.
    pub(crate) fn stored(&self, messages: &[NewMessage], answers: &[Stored]) {
        let mut open = self.lock();
        let (mut new, mut known, mut again) = (Vec::new(), Vec::new(), 0);
        for (message, answer) in messages.iter().zip(answers) {
            let (partition, offset) = (message.partition, message.offset);
            let next = open.next.entry((message.topic.clone(), partition)).or_default();
            if offset < *next {
                again += 1;
                continue;
            }
            *next = offset + 1;
            let answer = Answer::of(answer);
            new.push((answer, message));
            let place = (message.topic.clone(), partition, offset);
            match open.acknowledged.remove(&place) {
                Some(ticket) => known.push((ticket, answer)),
                None => drop(open.answered.insert(place, answer)),
            }
        }
        drop(open);
        self.progress.answers(&new, again);
        for (ticket, answer) in known {
            self.progress.landed(&ticket, answer);
        }
    }

    /// What is left when nothing moves any more: records that were never stored, and rows that
    /// nobody sent.
    pub(crate) fn left(&self) -> (Vec<String>, Vec<String>) {
        let open = self.lock();
        let shown = |(topic, partition, offset): &Place| format!("{topic}[{partition}]@{offset}");
        let lost =
            open.acknowledged.iter().map(|(at, ticket)| format!("{} at {}", ticket.id, shown(at)));
        (lost.collect(), open.answered.keys().map(shown).collect())
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::InboxId;
    use dipmo_inbox::{Identity, Record};

    use super::*;

    const NEW: Stored = Stored::New(InboxId(1));

    fn at(offset: i64) -> Place {
        ("t".to_owned(), 0, offset)
    }

    fn message(offset: i64) -> NewMessage {
        let record = Record { topic: "t".to_owned(), offset, ..Record::default() };
        NewMessage::from_record(&record, &Identity::default())
    }

    fn ticket(id: &str, answer: Answer) -> Ticket {
        Ticket { id: id.to_owned(), answer, tells_id: true, bytes: 100 }
    }

    fn wire() -> (Arc<Progress>, Wire) {
        let progress = Arc::new(Progress::default());
        (Arc::clone(&progress), Wire::new(progress))
    }

    #[test]
    fn a_record_is_closed_whoever_is_first_to_tell_of_it() {
        let (progress, wire) = wire();
        wire.acknowledged(at(0), ticket("A/1", Answer::New));
        wire.stored(&[message(0), message(1)], &[NEW, Stored::Duplicate(InboxId(1))]);
        wire.acknowledged(at(1), ticket("A/1", Answer::Duplicate));
        assert_eq!(wire.left(), (vec![], vec![]));
        let figures = progress.figures();
        assert_eq!((figures.stored, figures.deduplicated), (1, 1));
        assert!(figures.wrong_answers.is_empty());
    }

    #[test]
    fn a_record_that_kafka_dropped_stays_open() {
        let (_, wire) = wire();
        for offset in 0..3 {
            wire.acknowledged(at(offset), ticket(&format!("A/{offset}"), Answer::New));
        }
        wire.stored(&[message(0), message(2), message(3)], &[NEW, NEW, NEW]);
        assert_eq!(wire.left(), (vec!["A/1 at t[0]@1".to_owned()], vec!["t[0]@3".to_owned()]));
    }

    #[test]
    fn an_answer_that_is_not_in_the_book_is_kept() {
        let (progress, wire) = wire();
        wire.acknowledged(at(0), ticket("A/1", Answer::Duplicate));
        wire.stored(&[message(0)], &[NEW]);
        assert_eq!(progress.figures().wrong_answers, ["A/1: New, not Duplicate"]);
    }

    #[test]
    fn bytes_are_on_the_wire_until_the_inbox_has_answered_for_them() {
        let (progress, wire) = wire();
        progress.sent(2, 200);
        for offset in 0..2 {
            wire.acknowledged(at(offset), ticket(&format!("A/{offset}"), Answer::New));
        }
        wire.stored(&[message(0)], &[NEW]);
        assert_eq!((progress.on_the_wire(), progress.bytes_on_the_wire()), (1, 100));
    }

    #[test]
    fn what_tells_no_id_is_found_by_its_place() {
        let (_, wire) = wire();
        wire.acknowledged(at(7), Ticket { tells_id: false, ..ticket("A/1", Answer::New) });
        assert_eq!(wire.names(), HashMap::from([("t:0:7".to_owned(), "A/1".to_owned())]));
        assert_eq!(message(7).message_id, "t:0:7");
    }

    #[test]
    fn what_is_read_again_counts_once() {
        let (progress, wire) = wire();
        for answer in [NEW, Stored::Duplicate(InboxId(1))] {
            wire.stored(&[message(0)], &[answer]);
        }
        let figures = progress.figures();
        assert_eq!((figures.stored, figures.deduplicated, figures.read_again), (1, 0, 1));
    }
}
