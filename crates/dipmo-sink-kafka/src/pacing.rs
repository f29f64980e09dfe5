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
