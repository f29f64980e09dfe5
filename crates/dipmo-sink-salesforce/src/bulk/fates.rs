//! What is to become of each unit of a page: one row for a record, and nothing out of turn.
//!
//! Salesforce refuses a record that two rows next to each other are about, and applies rows that are
//! further apart in any order. So a record has one row in a job. A unit that this row covers stays in
//! the job and gets the row's answer; any other is taken out, and so is all of its record behind it.

use std::collections::HashMap;

use dipmo_outbox::Published;

use super::keys::{KeyHash, Keys, RowOf, RowState, Standing};

/// What a unit wants, once its record was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// To be written as a row.
    Row {
        /// What the row says.
        state: RowState,
        /// The version that its event announces, where there is a row of an earlier page.
        announced: Option<i64>,
        /// Whether the row stands for all that came before.
        full: bool,
    },
    /// To be sent by itself, because no row can say it.
    Aside {
        /// Whether it stands for all that came before.
        full: bool,
    },
    /// To be deleted, which no row can say either.
    Delete,
    /// Nothing: this is its answer.
    Nothing(Published),
    /// To wait for another unit that failed.
    Blocked,
}

/// A unit of a page.
#[derive(Clone, Debug)]
pub(super) struct Unit<'a> {
    pub(super) key: &'a str,
    pub(super) want: Want,
}

/// What is to become of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It gets the answer of the unit at that place of the page, whose row is written.
    RowOf(usize),
    /// It is sent by itself, after all rows.
    Aside,
    /// It stays in the job for a row of an earlier page.
    Covered,
    /// It leaves the job.
    Answer(Published),
}

/// Decides for a page, and notes down what the next pages must know.
pub(super) fn decide(units: &[Unit<'_>], keys: &mut Keys) -> Vec<Fate> {
    let mut records: HashMap<KeyHash, Record> = HashMap::new();
    let mut fates = Vec::with_capacity(units.len());
    for (place, unit) in units.iter().enumerate() {
        let folded = KeyHash::folded(unit.key);
        let record = records.entry(folded).or_insert_with(|| Record::after(keys.of(folded)));
        fates.push(record.meet(place, unit));
    }
    for (folded, record) in records {
        if let Some(head) = &record.head {
            record.members.iter().for_each(|member| fates[*member] = head.fate.clone());
        }
        if let Some(standing) = record.standing() {
            keys.set(folded, standing);
        }
    }
    fates
}

/// The units of one record in a page so far.
#[derive(Default)]
struct Record {
    /// Its row of an earlier page.
    row: Option<RowOf>,
    /// Nothing more of it may go out with this job.
    closed: bool,
    /// What is sent for all its members.
    head: Option<Head>,
    members: Vec<usize>,
}

struct Head {
    fate: Fate,
    key: KeyHash,
    /// Of one that is a row.
    state: Option<RowState>,
    deletes: bool,
}

impl Record {
    fn after(earlier: Option<Standing>) -> Self {
        match earlier {
            None => Self::default(),
            Some(Standing::Row(row)) => Self { row: Some(row), ..Self::default() },
            Some(Standing::Out) => Self { closed: true, ..Self::default() },
        }
    }

    /// The fate of the next unit; that of a member is told by the head, which may change.
    fn meet(&mut self, place: usize, unit: &Unit<'_>) -> Fate {
        if self.closed {
            return Fate::Answer(Published::NotTried);
        }
        match &unit.want {
            Want::Blocked => self.close(),
            Want::Nothing(answer @ Published::Delivered { .. }) => Fate::Answer(answer.clone()),
            // What is refused may block those behind it, and nothing may block what it overtook: it is
            // judged again once that is settled.
            Want::Nothing(_) if self.goes_out() => self.close(),
            Want::Nothing(answer) => {
                self.closed = true;
                Fate::Answer(answer.clone())
            }
            Want::Row { state, announced, full } => {
                let key = KeyHash::exact(unit.key);
                if self.row.is_some_and(|row| *full && row.covers(key, *announced)) {
                    return Fate::Covered;
                }
                let (fate, state) = (Fate::RowOf(place), Some(*state));
                self.lead(place, Head { fate, key, state, deletes: false }, *full)
            }
            Want::Aside { full } => {
                let (fate, key) = (Fate::Aside, KeyHash::exact(unit.key));
                self.lead(place, Head { fate, key, state: None, deletes: false }, *full)
            }
            Want::Delete => {
                let (fate, key) = (Fate::Aside, KeyHash::exact(unit.key));
                self.lead(place, Head { fate, key, state: None, deletes: true }, true)
            }
        }
    }

    /// Makes a unit the one that is sent for those before it, if it stands for them. A deletion and a
    /// record do not stand for each other: what is made anew is not what it was before.
    fn lead(&mut self, place: usize, head: Head, full: bool) -> Fate {
        let stands_for =
            |other: &Head| full && other.key == head.key && other.deletes == head.deletes;
        if self.row.is_some() || !self.head.as_ref().is_none_or(stands_for) {
            return self.close();
        }
        let fate = head.fate.clone();
        self.head = Some(head);
        self.members.push(place);
        fate
    }

    /// Whether something of it goes out with this job, and has no answer yet.
    fn goes_out(&self) -> bool {
        self.row.is_some() || self.head.is_some()
    }

    fn close(&mut self) -> Fate {
        self.closed = true;
        Fate::Answer(Published::NotTried)
    }

    fn standing(&self) -> Option<Standing> {
        match &self.head {
            _ if self.closed => Some(Standing::Out),
            Some(Head { key, state: Some(state), .. }) => {
                Some(Standing::Row(RowOf { key: *key, state: *state }))
            }
            // What is sent by itself goes out later than any row that might follow.
            Some(_) => Some(Standing::Out),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Failure;

    use super::*;

    /// A row that was read at a version, for an event that announced the same one.
    fn row(version: i64) -> Want {
        read(version, Some(version))
    }

    fn read(version: i64, announced: Option<i64>) -> Want {
        Want::Row { state: RowState::Read(Some(version)), announced, full: true }
    }

    fn carried() -> Want {
        Want::Row { state: RowState::Event, announced: None, full: true }
    }

    fn partial() -> Want {
        Want::Row { state: RowState::Event, announced: None, full: false }
    }

    fn out() -> Fate {
        Fate::Answer(Published::NotTried)
    }

    fn later() -> Published {
        Published::Retry { failure: Failure::new("later", "not there yet"), after: None }
    }

    fn pages<const N: usize>(pages: [&[(&'static str, Want)]; N]) -> [Vec<Fate>; N] {
        let mut keys = Keys::default();
        pages.map(|page| {
            let unit = |(key, want): &(&'static str, Want)| Unit { key, want: want.clone() };
            let page: Vec<Unit<'_>> = page.iter().map(unit).collect();
            decide(&page, &mut keys)
        })
    }

    #[test]
    fn the_newest_full_state_is_written_for_all() {
        let [fates] = pages([&[("a", row(1)), ("b", row(1)), ("a", row(2)), ("a", row(3))]]);
        assert_eq!(fates, [Fate::RowOf(3), Fate::RowOf(1), Fate::RowOf(3), Fate::RowOf(3)]);
    }

    #[test]
    fn partial_updates_go_one_after_the_other() {
        let [fates] = pages([&[("a", partial()), ("a", partial()), ("a", row(9))]]);
        assert_eq!(fates, [Fate::RowOf(0), out(), out()]);
        let [fates] = pages([&[("a", partial()), ("a", row(2)), ("a", partial())]]);
        assert_eq!(fates, [Fate::RowOf(1), Fate::RowOf(1), out()]);
    }

    #[test]
    fn a_row_of_an_earlier_page_covers_what_is_not_newer() {
        let [_, fates, last] = pages([
            &[("a", row(5)), ("b", row(5)), ("c", partial())],
            &[("a", row(5)), ("b", row(6)), ("c", row(1))],
            &[("a", row(5)), ("b", row(5)), ("c", row(1))],
        ]);
        assert_eq!(fates, [Fate::Covered, out(), out()]);
        assert_eq!(last, [Fate::Covered, out(), out()], "nothing overtakes what was taken out");
    }

    #[test]
    fn what_was_announced_counts_and_not_what_is_found_now() {
        let [_, fates] = pages([
            &[("a", row(5)), ("b", row(5)), ("c", carried())],
            &[("a", read(7, Some(4))), ("b", read(7, None)), ("c", carried())],
        ]);
        assert_eq!(fates, [Fate::Covered, Fate::Covered, out()]);
    }

    #[test]
    fn nothing_goes_out_behind_one_that_did_not() {
        let [first, second] = pages([
            &[("a", Want::Nothing(later())), ("a", row(2)), ("b", Want::Blocked), ("b", row(1))],
            &[("a", row(2)), ("b", row(1))],
        ]);
        assert_eq!(first, [Fate::Answer(later()), out(), out(), out()]);
        assert_eq!(second, [out(), out()]);
    }

    #[test]
    fn what_is_refused_is_judged_again_after_what_goes_out_before_it() {
        let no = || Want::Nothing(Published::Refused(Failure::new("NO", "never")));
        let aside = || Want::Aside { full: true };
        let [first, second] = pages([
            &[("a", row(3)), ("a", no()), ("b", row(3)), ("c", aside()), ("c", no())],
            &[("a", row(3)), ("b", no()), ("b", row(3)), ("c", no())],
        ]);
        assert_eq!(first, [Fate::RowOf(0), out(), Fate::RowOf(2), Fate::Aside, out()]);
        assert_eq!(second, [out(), out(), out(), out()]);
    }

    #[test]
    fn what_was_skipped_holds_nobody_up() {
        let [fates] = pages([&[("a", Want::Nothing(Published::delivered())), ("a", row(2))]]);
        assert_eq!(fates, [Fate::Answer(Published::delivered()), Fate::RowOf(1)]);
    }

    #[test]
    fn what_goes_aside_never_meets_a_row_of_its_record() {
        let aside = || Want::Aside { full: true };
        let [first, second] = pages([
            &[("a", row(1)), ("a", aside()), ("b", row(1)), ("c", aside())],
            &[("a", row(2)), ("b", aside()), ("c", row(2))],
        ]);
        assert_eq!(first, [Fate::Aside, Fate::Aside, Fate::RowOf(2), Fate::Aside]);
        assert_eq!(second, [out(), out(), out()]);
    }

    #[test]
    fn a_deletion_and_a_record_do_not_stand_for_each_other() {
        let [first, second] = pages([
            &[("a", Want::Delete), ("a", Want::Delete), ("a", row(1)), ("b", row(1))],
            &[("b", Want::Delete), ("b", row(1))],
        ]);
        assert_eq!(first, [Fate::Aside, Fate::Aside, out(), Fate::RowOf(3)]);
        assert_eq!(second, [out(), out()]);
    }

    #[test]
    fn keys_that_salesforce_may_take_for_the_same_do_not_share_a_job() {
        let [first, second] = pages([&[("C-1", row(1)), ("c-1", row(2))], &[(" C-1", row(1))]]);
        assert_eq!(first, [Fate::RowOf(0), out()]);
        assert_eq!(second, [out()]);
    }
}
