//! A record whose results the broker refuses must not hold up those that shared its transaction.
//!
//! A broker refuses a whole batch for one record. So after such a refusal all records of the
//! transaction are suspects and get one of their own each, and every result a batch of its own, until
//! the one that is refused alone is found. That one goes to the dead letters.
//!
//! A letter can be refused too: it has more headers than its record had. Then a shorter one goes. When
//! that is refused as well the partition waits, for the letter is all that there is of the record.

use std::collections::BTreeMap;

use dipmo_domain::Failure;
use dipmo_kafka::Place;

use crate::producer::Company;

/// Who is suspected, and who was found.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    /// Up to which offset each partition is read record by record.
    alone_until: BTreeMap<Place, i64>,
    found: BTreeMap<(Place, i64), Found>,
}

/// A record that was refused alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Why, the first time.
    pub(crate) failure: Failure,
    pub(crate) letter: Letter,
}

/// What is sent in place of what was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letter {
    /// With all headers.
    Whole,
    /// Without those of the record.
    Short,
    /// The short one, which was refused before: now and then.
    Refused,
}

impl Suspects {
    /// Something of a transaction was refused, which had these records of each partition: from the
    /// first to before the next. Returns where not even a short letter is taken.
    pub(crate) fn refused(
        &mut self,
        places: &BTreeMap<Place, (i64, i64)>,
        company: Company,
        failure: &Failure,
    ) -> Option<Place> {
        let mut all = places.iter();
        if let (Some((place, (first, next))), None) = (all.next(), all.next())
            && first + 1 == *next
            && company == Company::Alone
        {
            return self.found(place, *first, failure);
        }
        for (place, (_, next)) in places {
            let until = self.alone_until.entry(place.clone()).or_insert(*next);
            *until = (*until).max(*next);
        }
        None
    }

    fn found(&mut self, place: &Place, offset: i64, failure: &Failure) -> Option<Place> {
        let at = (place.clone(), offset);
        let Some(found) = self.found.get_mut(&at) else {
            let (failure, letter) = (failure.clone(), Letter::Whole);
            self.found.insert(at, Found { failure, letter });
            return None;
        };
        found.letter = match found.letter {
            Letter::Whole => Letter::Short,
            Letter::Short | Letter::Refused => Letter::Refused,
        };
        (found.letter == Letter::Refused).then(|| place.clone())
    }

    /// Whether a record gets a transaction of its own.
    pub(crate) fn is_alone(&self, place: &Place, offset: i64) -> bool {
        self.alone_until.get(place).is_some_and(|until| offset < *until)
    }

    /// Why a record is given up, and how, when it is.
    pub(crate) fn verdict(&self, place: &Place, offset: i64) -> Option<&Found> {
        self.found.get(&(place.clone(), offset))
    }

    /// What was committed is suspected no more. Returns where one was that was found.
    pub(crate) fn committed(&mut self, places: &BTreeMap<Place, (i64, i64)>) -> Vec<Place> {
        let mut cleared = Vec::new();
        if self.alone_until.is_empty() && self.found.is_empty() {
            return cleared;
        }
        for (place, (_, next)) in places {
            if self.alone_until.get(place).is_some_and(|until| until <= next) {
                self.alone_until.remove(place);
            }
            let before = self.found.len();
            self.found.retain(|(of, offset), _| of != place || offset >= next);
            if self.found.len() < before {
                cleared.push(place.clone());
            }
        }
        cleared
    }

    /// Nothing is known of a partition that is somebody else's.
    pub(crate) fn forget(&mut self, place: &Place) {
        self.alone_until.remove(place);
        self.found.retain(|(of, _), _| of != place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_is_refused_alone_is_found_and_the_others_are_cleared() {
        let place = Place::new("t", 0);
        let range = |first, next| BTreeMap::from([(place.clone(), (first, next))]);
        let failure = Failure::new("kafka-record-too-large", "too large");
        let mut suspects = Suspects::default();
        assert!(!suspects.is_alone(&place, 5));
        suspects.refused(&range(5, 8), Company::Shared, &failure);
        assert!(suspects.is_alone(&place, 5) && suspects.is_alone(&place, 7));
        assert!(!suspects.is_alone(&place, 8));
        suspects.committed(&range(5, 6));
        suspects.refused(&range(6, 7), Company::Alone, &failure);
        assert_eq!(suspects.verdict(&place, 6).map(|found| &found.failure), Some(&failure));
        assert_eq!(suspects.verdict(&place, 7), None);
        suspects.committed(&range(6, 7));
        assert_eq!(suspects.verdict(&place, 6), None);
        suspects.committed(&range(7, 8));
        assert!(!suspects.is_alone(&place, 7));
    }

    #[test]
    fn who_has_many_results_is_not_blamed_for_their_size_together() {
        let place = Place::new("t", 0);
        let range = BTreeMap::from([(place.clone(), (5, 6))]);
        let failure = Failure::new("kafka-record-too-large", "too large");
        let mut suspects = Suspects::default();
        suspects.refused(&range, Company::Shared, &failure);
        assert_eq!(suspects.verdict(&place, 5), None);
        assert!(suspects.is_alone(&place, 5));
    }

    #[test]
    fn a_letter_that_is_refused_becomes_shorter_and_then_its_partition_waits() {
        let place = Place::new("t", 0);
        let range = BTreeMap::from([(place.clone(), (5, 6))]);
        let mut suspects = Suspects::default();
        let mut refuse = |code: &str| {
            let waits = suspects.refused(&range, Company::Alone, &Failure::new(code, ""));
            let found = suspects.verdict(&place, 5).unwrap();
            (found.letter, found.failure.code().to_owned(), waits.is_some())
        };
        assert_eq!(refuse("first"), (Letter::Whole, "first".to_owned(), false));
        assert_eq!(refuse("second"), (Letter::Short, "first".to_owned(), false));
        assert_eq!(refuse("third"), (Letter::Refused, "first".to_owned(), true));
        assert_eq!(refuse("fourth"), (Letter::Refused, "first".to_owned(), true));
    }
}
