//! Which record of a slice may go out when: of each key one, and the next when it has arrived.

use std::collections::{HashMap, VecDeque};

use dipmo_outbox::{Delivery, Published};

/// The places of a slice, and where each is.
///
/// **Invariant:** a place is given out only when the one before it of the same order key was
/// delivered.
pub(crate) struct Pacing {
    ready: VecDeque<usize>,
    /// The next place of the same order key.
    next: Vec<Option<usize>>,
    places: Vec<Place>,
    on_the_way: usize,
    closed: bool,
}

#[derive(Clone, Debug)]
enum Place {
    Waits,
    OnTheWay,
    Answered(Published),
}

impl Pacing {
    pub(crate) fn new(deliveries: &[Delivery]) -> Self {
        let mut ready = VecDeque::new();
        let mut next = vec![None; deliveries.len()];
        let mut last = HashMap::with_capacity(deliveries.len());
        for (place, delivery) in deliveries.iter().enumerate() {
            match last.insert(&delivery.order_key, place) {
                Some(before) => next[before] = Some(place),
                None => ready.push_back(place),
            }
        }
        let places = vec![Place::Waits; deliveries.len()];
        Self { ready, next, places, on_the_way: 0, closed: false }
    }

    /// The next place to send.
    pub(crate) fn begin(&mut self) -> Option<usize> {
        let place = self.ready.pop_front()?;
        self.places[place] = Place::OnTheWay;
        self.on_the_way += 1;
        Some(place)
    }

    /// A place that was begun is to be begun again, before any other.
    pub(crate) fn put_back(&mut self, place: usize) {
        self.on_the_way -= 1;
        self.places[place] = Place::Waits;
        if !self.closed {
            self.ready.push_front(place);
        }
    }

    /// What became of a place that was begun.
    pub(crate) fn answer(&mut self, place: usize, answer: Published) {
        self.on_the_way -= 1;
        let delivered = matches!(answer, Published::Delivered { .. });
        self.places[place] = Place::Answered(answer);
        if let (true, false, Some(next)) = (delivered, self.closed, self.next[place]) {
            self.ready.push_back(next);
        }
    }

    /// Nothing more is begun.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        self.ready.clear();
    }

    pub(crate) fn anything_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.on_the_way == 0 && self.ready.is_empty()
    }

    /// The places that nothing is known of.
    pub(crate) fn on_the_way(&self) -> Vec<usize> {
        let places = self.places.iter().enumerate();
        places.filter(|(_, it)| matches!(it, Place::OnTheWay)).map(|(place, _)| place).collect()
    }

    /// An answer for each: what was never begun was not tried.
    pub(crate) fn into_answers(self) -> Vec<Published> {
        let answer = |place| match place {
            Place::Answered(answer) => answer,
            Place::Waits | Place::OnTheWay => Published::NotTried,
        };
        self.places.into_iter().map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{Destination, Failure, Json, OrderKey, OutboxId, Timestamp};
    use dipmo_outbox::Attempt;

    use super::*;

    fn pacing(keys: &[&str]) -> Pacing {
        let deliveries: Vec<Delivery> = keys.iter().map(|key| delivery(key)).collect();
        Pacing::new(&deliveries)
    }

    fn delivery(key: &str) -> Delivery {
        let order_key = OrderKey::new(key);
        Delivery {
            unit: OutboxId(1),
            intent: OutboxId(1),
            record: None,
            lane: order_key.lane(),
            order_key,
            destination: Destination::internal(),
            aggregate_type: "A".to_owned(),
            aggregate_id: key.to_owned(),
            event_type: "E".to_owned(),
            event_version: 1,
            payload: Json::empty_object(),
            headers_json: None,
            created_at: Timestamp::EPOCH,
            cause: None,
            caused_at: None,
            reply_to: None,
            attempt: Attempt::Again { attempts: 0, retried: 0 },
            blocked_by: None,
        }
    }

    fn begun(pacing: &mut Pacing) -> Vec<usize> {
        std::iter::from_fn(|| pacing.begin()).collect()
    }

    #[test]
    fn of_a_key_the_next_is_begun_when_the_last_was_delivered() {
        let mut pacing = pacing(&["a", "a", "b", "a"]);
        assert_eq!(begun(&mut pacing), [0, 2]);
        pacing.answer(0, Published::delivered());
        assert_eq!(begun(&mut pacing), [1]);
        let no = Published::Refused(Failure::new("no", "never"));
        pacing.answer(1, no.clone());
        pacing.answer(2, Published::delivered());
        assert!(begun(&mut pacing).is_empty() && pacing.is_over());
        let delivered = Published::delivered();
        assert_eq!(pacing.into_answers(), [delivered.clone(), no, delivered, Published::NotTried]);
    }

    #[test]
    fn what_is_put_back_comes_next_and_nothing_comes_after_closing() {
        let mut pacing = pacing(&["a", "b", "c", "a"]);
        assert_eq!((pacing.begin(), pacing.begin()), (Some(0), Some(1)));
        pacing.put_back(1);
        assert!(pacing.anything_ready());
        assert_eq!(pacing.begin(), Some(1));
        pacing.close();
        pacing.answer(0, Published::delivered());
        pacing.put_back(1);
        assert!(pacing.begin().is_none() && pacing.is_over() && pacing.on_the_way().is_empty());
        let not = Published::NotTried;
        assert_eq!(pacing.into_answers(), [Published::delivered(), not.clone(), not.clone(), not]);
    }
}
