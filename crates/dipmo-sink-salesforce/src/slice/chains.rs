//! The order of a slice: what of each record goes out when, and what goes out once for several.
//!
//! **Invariants:** of one record nothing goes out behind something that was not delivered; of units
//! that carry the whole record only the newest goes out, and all of them get its answer; two records
//! that Salesforce cannot tell apart are never in one round.

use std::collections::{HashMap, VecDeque};

use dipmo_outbox::{Delivery, Published};

use crate::mapping::{fold, key_of};
use crate::shaping::{Shape, Shaped};

/// Something to be done in Salesforce.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Write {
    /// Insert or update.
    Upsert(Shaped),
    /// Delete, if it is there.
    Delete {
        /// The external id.
        key: String,
    },
}

impl Write {
    /// The external id.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Upsert(record) => &record.key,
            Self::Delete { key } => key,
        }
    }

    /// Whether sending `next` instead says all that this one says.
    fn is_covered_by(&self, next: &Self) -> bool {
        self.key() == next.key()
            && match (self, next) {
                (Self::Upsert(this), Self::Upsert(next)) => this.full && next.full,
                (Self::Delete { .. }, Self::Delete { .. }) => true,
                _ => false,
            }
    }
}

/// A write, and the units that it settles, by their places in the slice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The last of them is the newest.
    pub(crate) units: Vec<usize>,
    pub(crate) write: Write,
}

/// What is to be done about one record next.
enum Link {
    Send(Step),
    /// Known without sending.
    Known(usize, Published),
}

/// The units of a slice, record by record.
pub(crate) struct Chains {
    chains: Vec<VecDeque<Link>>,
    answers: Vec<Option<Published>>,
}

/// A step that went out, and whose record waits for its answer.
pub(crate) struct Head {
    chain: usize,
    pub(crate) step: Step,
}

impl Chains {
    /// The deliveries of a slice in their order, each with its shape.
    pub(crate) fn new(deliveries: &[Delivery], shapes: Vec<Shape>) -> Self {
        let mut chains: Vec<VecDeque<Link>> = Vec::new();
        let mut by_key = HashMap::with_capacity(deliveries.len());
        for (place, (delivery, shape)) in deliveries.iter().zip(shapes).enumerate() {
            let chain = *by_key.entry(fold(key_of(delivery))).or_insert_with(|| {
                chains.push(VecDeque::new());
                chains.len() - 1
            });
            add(&mut chains[chain], place, shape);
        }
        Self { chains, answers: vec![None; deliveries.len()] }
    }

    /// The next step of every record that has one.
    pub(crate) fn next_round(&mut self) -> Vec<Head> {
        (0..self.chains.len()).filter_map(|chain| self.next_of(chain)).collect()
    }

    fn next_of(&mut self, chain: usize) -> Option<Head> {
        loop {
            match self.chains[chain].pop_front()? {
                Link::Send(step) => return Some(Head { chain, step }),
                Link::Known(place, answer) => {
                    let delivered = matches!(answer, Published::Delivered { .. });
                    self.answers[place] = Some(answer);
                    if !delivered {
                        self.chains[chain].clear();
                    }
                }
            }
        }
    }

    /// Takes in what became of a step, with an answer for each of its units.
    pub(crate) fn answered(&mut self, head: &Head, answers: Vec<Published>) {
        if !answers.iter().all(|answer| matches!(answer, Published::Delivered { .. })) {
            self.chains[head.chain].clear();
        }
        for (place, answer) in head.step.units.iter().zip(answers) {
            self.answers[*place] = Some(answer);
        }
    }

    /// An answer for each: what was never begun was not tried.
    pub(crate) fn into_answers(self) -> Vec<Published> {
        let not_tried = |answer: Option<Published>| answer.unwrap_or(Published::NotTried);
        self.answers.into_iter().map(not_tried).collect()
    }
}

fn add(chain: &mut VecDeque<Link>, place: usize, shape: Shape) {
    let write = match shape {
        Shape::Record(record) => Write::Upsert(record),
        Shape::Delete { key } => Write::Delete { key },
        Shape::Answer(answer) => return chain.push_back(Link::Known(place, answer)),
    };
    match chain.back_mut() {
        Some(Link::Send(step)) if step.write.is_covered_by(&write) => {
            step.units.push(place);
            step.write = write;
        }
        _ => chain.push_back(Link::Send(Step { units: vec![place], write })),
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Failure;
    use dipmo_salesforce::Fields;
    use serde_json::json;

    use super::*;
    use crate::fixture::delivery;

    fn record(key: &str, value: i64, full: bool) -> Shape {
        let fields = Fields::from_iter([("N".to_owned(), json!(value))]);
        let (key, version, children) = (key.to_owned(), Some(value), Vec::new());
        Shape::Record(Shaped { key, fields, version, full, children })
    }

    fn full(key: &str, value: i64) -> Shape {
        record(key, value, true)
    }

    fn partial(key: &str, value: i64) -> Shape {
        record(key, value, false)
    }

    fn delete(key: &str) -> Shape {
        Shape::Delete { key: key.to_owned() }
    }

    fn chains(units: Vec<(&str, Shape)>) -> Chains {
        let deliveries: Vec<_> = units.iter().map(|(key, _)| delivery(key)).collect();
        Chains::new(&deliveries, units.into_iter().map(|(_, shape)| shape).collect())
    }

    /// Plays rounds in which all is delivered, and tells the units and the version of each step.
    fn play(mut chains: Chains) -> Vec<Vec<(Vec<usize>, Option<i64>)>> {
        let mut rounds = Vec::new();
        loop {
            let heads = chains.next_round();
            if heads.is_empty() {
                return rounds;
            }
            let shown = |head: &Head| match &head.step.write {
                Write::Upsert(record) => (head.step.units.clone(), record.version),
                Write::Delete { .. } => (head.step.units.clone(), None),
            };
            rounds.push(heads.iter().map(shown).collect());
            for head in heads {
                let answers = vec![Published::delivered(); head.step.units.len()];
                chains.answered(&head, answers);
            }
        }
    }

    #[test]
    fn trap_23_whole_records_are_sent_once_as_the_newest() {
        let units = vec![("a", full("a", 1)), ("b", full("b", 2)), ("a", full("a", 3))];
        assert_eq!(play(chains(units)), [[(vec![0, 2], Some(3)), (vec![1], Some(2))]]);
    }

    #[test]
    fn trap_23_changes_of_a_record_go_out_one_after_the_other() {
        let units = vec![
            ("a", partial("a", 1)),
            ("a", partial("a", 2)),
            ("a", full("a", 3)),
            ("a", full("a", 4)),
            ("a", partial("a", 5)),
        ];
        let expected = [
            [(vec![0], Some(1))],
            [(vec![1], Some(2))],
            [(vec![2, 3], Some(4))],
            [(vec![4], Some(5))],
        ];
        assert_eq!(play(chains(units)), expected);
    }

    #[test]
    fn a_delete_between_two_records_is_not_left_out() {
        let units =
            vec![("a", full("a", 1)), ("a", delete("a")), ("a", delete("a")), ("a", full("a", 2))];
        let expected = [[(vec![0], Some(1))], [(vec![1, 2], None)], [(vec![3], Some(2))]];
        assert_eq!(play(chains(units)), expected);
    }

    #[test]
    fn keys_that_salesforce_takes_for_one_are_in_rounds_of_their_own() {
        let units = vec![("M-1", full("M-1", 1)), ("m-1 ", full("m-1 ", 2))];
        assert_eq!(play(chains(units)), [[(vec![0], Some(1))], [(vec![1], Some(2))]]);
    }

    #[test]
    fn trap_23_nothing_goes_out_behind_what_was_not_delivered() {
        let no = Published::Refused(Failure::new("NO", "never"));
        let units = vec![
            ("a", partial("a", 1)),
            ("a", partial("a", 2)),
            ("b", Shape::Answer(no.clone())),
            ("b", partial("b", 3)),
            ("c", Shape::Answer(Published::delivered())),
            ("c", partial("c", 4)),
        ];
        let mut chains = chains(units);
        let heads = chains.next_round();
        let units: Vec<_> = heads.iter().map(|head| head.step.units.clone()).collect();
        assert_eq!(units, [[0], [5]]);
        chains.answered(&heads[0], vec![no.clone()]);
        chains.answered(&heads[1], vec![Published::delivered()]);
        assert!(chains.next_round().is_empty());
        let (delivered, not_tried) = (Published::delivered(), Published::NotTried);
        let expected = [no.clone(), not_tried.clone(), no, not_tried, delivered.clone(), delivered];
        assert_eq!(chains.into_answers(), expected);
    }
}
