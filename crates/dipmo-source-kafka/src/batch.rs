//! Records on their way to the inbox, and the ranges of offsets that they make up.

use std::ops;
use std::time::{Duration, Instant};

use dipmo_inbox::{NewMessage, Returned, SourceRange};

use crate::offsets::{Ledger, Place, Ticket, source_offset};

/// When a batch is handed over. It never waits for more when nothing more is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Records. Defaults to 2,000.
    pub records: usize,
    /// Bytes of keys, headers and values. Defaults to 4 MB; a larger record is alone.
    pub bytes: usize,
    /// How old the first record may get while others keep coming. Defaults to 50 ms.
    pub time: Duration,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self { records: 2_000, bytes: 4 << 20, time: Duration::from_millis(50) }
    }
}

/// Messages in the order in which they were read.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) messages: Vec<NewMessage>,
    /// The range of each, by its place in `ranges`.
    range_of: Vec<usize>,
    /// The offset of each; of a dead letter that became a message, none.
    offsets: Vec<Option<i64>>,
    /// Dead letters that came back, and the range of each.
    letters: Vec<Returned>,
    letter_range_of: Vec<usize>,
    ranges: Vec<Range>,
    bytes: usize,
    /// When the first record came.
    born: Option<Instant>,
    pub(crate) decoding: Duration,
    /// Ranges before this one are not added to any more.
    sealed: usize,
}

#[derive(Debug)]
struct Range {
    ticket: Ticket,
    next: i64,
}

/// A record that was decoded.
pub(crate) struct Item<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    pub(crate) content: Content,
    pub(crate) bytes: usize,
}

/// What a record was decoded to.
pub(crate) enum Content {
    Message(NewMessage),
    Letter(Returned),
}

impl Batch {
    pub(crate) const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) const fn len(&self) -> usize {
        self.messages.len() + self.letters.len()
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// How long the first record has been here.
    pub(crate) fn age(&self) -> Duration {
        self.born.map_or(Duration::ZERO, |born| born.elapsed())
    }

    /// True when nothing more belongs into it.
    pub(crate) const fn is_full(&self, limits: &BatchLimits) -> bool {
        self.len() >= limits.records || self.bytes >= limits.bytes
    }

    /// Adds a record; one of a partition that is not ours is let go.
    pub(crate) fn push(&mut self, item: Item<'_>, open: impl FnOnce(&Place) -> Option<Ticket>) {
        let Item { topic, partition, offset, .. } = item;
        let Some(range) = self.range(topic, partition, open) else { return };
        let life = self.ranges[range].ticket.life;
        match item.content {
            Content::Letter(letter) => {
                self.letter_range_of.push(range);
                self.letters.push(letter);
            }
            Content::Message(mut message) => {
                if life > 0 && message.is_named_by_place(topic, partition, offset) {
                    message.rename(&format!("{topic}:{partition}:{offset}:{life}"));
                }
                self.range_of.push(range);
                self.offsets.push(Some(offset));
                self.messages.push(message);
            }
        }
        self.ranges[range].next = offset + 1;
        self.bytes += item.bytes;
        self.born.get_or_insert_with(Instant::now);
    }

    /// The open range of a partition. Records of a partition come in runs, so the last one that was
    /// added to is nearly always it.
    fn range(
        &mut self,
        topic: &str,
        partition: i32,
        open: impl FnOnce(&Place) -> Option<Ticket>,
    ) -> Option<usize> {
        let of_it = |range: &usize| {
            let place = &self.ranges[*range].ticket.place;
            *range >= self.sealed && place.partition == partition && place.topic == topic
        };
        let last = self.range_of.last().copied();
        let candidates = last.into_iter().chain(self.sealed..self.ranges.len());
        if let Some(range) = candidates.into_iter().find(of_it) {
            return Some(range);
        }
        let ticket = open(&Place::new(topic, partition))?;
        self.ranges.push(Range { ticket, next: 0 });
        Some(self.ranges.len() - 1)
    }

    /// The assignment changed: what comes now is not added to what came before, because the same
    /// partition may have gone and come back, from another offset on.
    pub(crate) const fn seal(&mut self) {
        self.sealed = self.ranges.len();
    }

    /// Adds a batch that was read after this one.
    pub(crate) fn append(&mut self, later: Self) {
        let before = self.ranges.len();
        self.messages.extend(later.messages);
        self.range_of.extend(later.range_of.into_iter().map(|range| range + before));
        self.offsets.extend(later.offsets);
        self.letters.extend(later.letters);
        self.letter_range_of.extend(later.letter_range_of.into_iter().map(|range| range + before));
        self.ranges.extend(later.ranges);
        self.bytes += later.bytes;
        self.decoding += later.decoding;
        self.seal();
    }

    /// Lets go of everything of partitions that are no longer ours. Returns how much that was.
    pub(crate) fn drop_revoked(&mut self, ledger: &Ledger) -> usize {
        let ours: Vec<bool> =
            self.ranges.iter().map(|range| ledger.is_ours(&range.ticket)).collect();
        if ours.iter().all(|ours| *ours) {
            return 0;
        }
        let before = self.len();
        let keep = |range_of: &[usize]| range_of.iter().map(|range| ours[*range]).collect();
        let kept: Vec<bool> = keep(&self.range_of);
        retain(&mut self.messages, &kept);
        retain(&mut self.range_of, &kept);
        retain(&mut self.offsets, &kept);
        let kept: Vec<bool> = keep(&self.letter_range_of);
        retain(&mut self.letters, &kept);
        retain(&mut self.letter_range_of, &kept);
        before - self.len()
    }

    /// Takes the dead letters out; their offsets stay.
    pub(crate) fn take_letters(&mut self) -> Vec<Returned> {
        std::mem::take(&mut self.letters)
    }

    /// Adds the letter that was in this place as a message.
    pub(crate) fn add_letter(&mut self, place: usize, message: NewMessage) {
        self.range_of.push(self.letter_range_of[place]);
        self.offsets.push(None);
        self.messages.push(message);
    }

    /// What is to be stored with the messages: how far they bring each partition that is ours. It
    /// begins where the database stands, and not with the first record: offsets between two
    /// records may never have been any record's.
    pub(crate) fn to_store(&self, group: &str, ledger: &Ledger) -> Vec<SourceRange> {
        let mut all: Vec<SourceRange> = Vec::new();
        for Range { ticket, next } in &self.ranges {
            let Some(from) = ledger.stored(ticket) else { continue };
            let Ticket { place, life, .. } = ticket;
            let same = |known: &&mut SourceRange| {
                known.to.topic == place.topic && known.to.partition == place.partition
            };
            match all.iter_mut().find(same) {
                Some(SourceRange { to, .. }) => to.next_offset = to.next_offset.max(*next),
                None => {
                    let to = source_offset(group, place, *life, *next);
                    all.push(SourceRange { from, to });
                }
            }
        }
        all
    }

    /// How far a piece of the messages brings each partition of `rest`, which says what is not
    /// stored yet. A partition that the piece has nothing of stays, and is compared all the same.
    pub(crate) fn reach(
        &self,
        piece: &ops::Range<usize>,
        rest: &[SourceRange],
    ) -> Vec<SourceRange> {
        let mut reached = rest.to_vec();
        for range in &mut reached {
            let of_it = |at: &usize| {
                let Place { topic, partition } = &self.ranges[self.range_of[*at]].ticket.place;
                (topic, partition) == (&range.to.topic, &range.to.partition)
            };
            let last = piece.clone().filter(of_it).filter_map(|at| self.offsets[at]).max();
            range.to.next_offset = last.map_or(range.from, |last| range.from.max(last + 1));
        }
        reached
    }

    /// Everything in it is durable.
    pub(crate) fn close(&self, ledger: &mut Ledger) {
        self.ranges.iter().for_each(|range| ledger.close(&range.ticket, range.next));
    }
}

fn retain<T>(all: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    all.retain(|_| keep.next() == Some(&true));
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_inbox::{Ended, Identity, Record};

    fn add(batch: &mut Batch, ledger: &mut Ledger, partition: i32, offset: i64) {
        let record = Record { partition, offset, ..Record::default() };
        let message = NewMessage::from_record(&record, &Identity::default());
        let content = Content::Message(message);
        let item = Item { topic: "t", partition, offset, content, bytes: 10 };
        batch.push(item, |place| ledger.open(place));
    }

    fn add_returned(batch: &mut Batch, ledger: &mut Ledger, partition: i32, offset: i64) {
        let message = NewMessage::from_record(&Record::default(), &Identity::default());
        let letter = Returned { first: message.dedupe_key, ended: Ended::Undecodable, message };
        let content = Content::Letter(letter);
        let item = Item { topic: "t", partition, offset, content, bytes: 10 };
        batch.push(item, |place| ledger.open(place));
    }

    /// Partition, beginning and end.
    fn ranges(batch: &Batch, ledger: &Ledger) -> Vec<(i32, i64, i64)> {
        let ranges = batch.to_store("g", ledger).into_iter();
        ranges.map(|range| (range.to.partition, range.from, range.to.next_offset)).collect()
    }

    #[test]
    fn a_batch_has_one_range_for_each_partition() {
        let (mut ledger, mut batch) = (Ledger::default(), Batch::default());
        ledger.assign(Place::new("t", 0), 0, 0);
        ledger.assign(Place::new("t", 1), 0, 0);
        for (partition, offset) in [(0, 0), (1, 7), (0, 1), (1, 8), (0, 4)] {
            add(&mut batch, &mut ledger, partition, offset);
        }
        add(&mut batch, &mut ledger, 2, 0);
        assert_eq!((batch.len(), batch.bytes()), (5, 50));
        assert_eq!(ranges(&batch, &ledger), [(0, 0, 5), (1, 0, 9)]);
        batch.close(&mut ledger);
        assert_eq!(ledger.committable(), [(Place::new("t", 0), 5), (Place::new("t", 1), 9)]);
    }

    #[test]
    fn trap_9_what_was_read_before_a_partition_left_and_came_back_is_not_counted() {
        let (mut ledger, mut batch) = (Ledger::default(), Batch::default());
        let place = Place::new("t", 0);
        ledger.assign(place.clone(), 0, 0);
        add(&mut batch, &mut ledger, 0, 40);
        ledger.revoke(&place);
        ledger.assign(place.clone(), 30, 0);
        batch.seal();
        add(&mut batch, &mut ledger, 0, 30);
        assert_eq!(batch.drop_revoked(&ledger), 1);
        assert_eq!(batch.messages[0].offset, 30);
        assert_eq!(ranges(&batch, &ledger), [(0, 30, 31)]);
        batch.close(&mut ledger);
        assert_eq!(ledger.committable(), [(place, 31)]);
    }

    #[test]
    fn letters_count_like_messages_and_leave_their_offsets() {
        let (mut ledger, mut batch, mut later) =
            (Ledger::default(), Batch::default(), Batch::default());
        ledger.assign(Place::new("t", 0), 0, 0);
        ledger.assign(Place::new("t", 1), 0, 0);
        add_returned(&mut batch, &mut ledger, 0, 0);
        assert_eq!((batch.is_empty(), batch.len()), (false, 1));
        add_returned(&mut later, &mut ledger, 1, 0);
        add(&mut later, &mut ledger, 0, 1);
        batch.append(later);
        ledger.revoke(&Place::new("t", 1));
        assert_eq!(batch.drop_revoked(&ledger), 1);
        let letter = batch.take_letters().remove(0);
        assert_eq!((batch.len(), ranges(&batch, &ledger)), (1, vec![(0, 0, 2)]));
        batch.add_letter(0, letter.message);
        assert_eq!((batch.len(), ranges(&batch, &ledger)), (2, vec![(0, 0, 2)]));
    }

    #[test]
    fn trap_9_a_piece_reaches_as_far_as_its_messages() {
        let (mut ledger, mut batch) = (Ledger::default(), Batch::default());
        ledger.assign(Place::new("t", 0), 0, 0);
        ledger.assign(Place::new("t", 1), 5, 0);
        for (partition, offset) in [(0, 0), (0, 3), (1, 5), (0, 4)] {
            add(&mut batch, &mut ledger, partition, offset);
        }
        let rest = batch.to_store("g", &ledger);
        let reach = |piece, rest: &[SourceRange]| {
            let reached = batch.reach(&piece, rest).into_iter();
            reached.map(|range| (range.from, range.to.next_offset)).collect::<Vec<_>>()
        };
        assert_eq!(reach(0..2, &rest), [(0, 4), (5, 5)]);
        assert_eq!(reach(0..4, &rest), [(0, 5), (5, 6)]);
    }

    #[test]
    fn batches_that_are_joined_keep_their_ranges() {
        let (mut ledger, mut first, mut second) =
            (Ledger::default(), Batch::default(), Batch::default());
        ledger.assign(Place::new("t", 0), 0, 0);
        ledger.assign(Place::new("t", 1), 0, 0);
        add(&mut first, &mut ledger, 0, 0);
        add(&mut second, &mut ledger, 1, 0);
        add(&mut second, &mut ledger, 0, 1);
        first.append(second);
        ledger.revoke(&Place::new("t", 1));
        assert_eq!(first.drop_revoked(&ledger), 1);
        assert_eq!(ranges(&first, &ledger), [(0, 0, 2)]);
    }

    #[test]
    fn trap_9_a_range_begins_where_the_database_stands() {
        let (mut ledger, mut batch) = (Ledger::default(), Batch::default());
        ledger.assign(Place::new("t", 0), 3, 0);
        // 3 was the marker of a transaction, and nobody's record.
        add(&mut batch, &mut ledger, 0, 4);
        assert_eq!(ranges(&batch, &ledger), [(0, 3, 5)]);
        batch.close(&mut ledger);
        let mut later = Batch::default();
        add(&mut later, &mut ledger, 0, 9);
        assert_eq!(ranges(&later, &ledger), [(0, 5, 10)]);
    }
}
