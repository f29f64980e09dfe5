//! Room for calls: how many are under way at once.
//!
//! It shrinks at once when Salesforce complains about too many calls, and grows back slowly. Who
//! waits is served in order; a waiter that is dropped leaves no trace.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::BulkheadOptions;

/// Room that can change its size while it is in use.
#[derive(Debug)]
pub(super) struct Bulkhead {
    seats: Arc<Semaphore>,
    size: Mutex<Size>,
}

#[derive(Debug)]
struct Size {
    options: BulkheadOptions,
    /// As large as it is now; the semaphore has so many permits, and `owed` more.
    seats: u32,
    /// Seats that are to go once they are free: they were taken when the room shrank.
    owed: u32,
    halved_at: Option<Instant>,
    /// Since when it waits to grow by one.
    growing_since: Instant,
}

/// A place in the room, until it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    bulkhead: Arc<Bulkhead>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Bulkhead {
    pub(super) fn new(options: BulkheadOptions, now: Instant) -> Self {
        let size =
            Size { options, seats: options.calls, owed: 0, halved_at: None, growing_since: now };
        Self { seats: Arc::new(Semaphore::new(as_permits(options.calls))), size: Mutex::new(size) }
    }

    /// Waits for a seat, for as long as it takes.
    pub(super) async fn sit(self: &Arc<Self>) -> Seat {
        self.grow(Instant::now());
        loop {
            let permit = Arc::clone(&self.seats).acquire_owned().await;
            let mut seat = Seat { bulkhead: Arc::clone(self), permit: permit.ok() };
            // A seat that came free without its drop being told, as a waiter's does that leaves at
            // the moment when it is served.
            if !seat.pay_debt() {
                return seat;
            }
        }
    }

    pub(super) fn options(&self) -> BulkheadOptions {
        self.size().options
    }

    /// A person's word: halving is forgotten.
    pub(super) fn set(&self, options: BulkheadOptions) {
        let mut size = self.size();
        size.options = options;
        size.halved_at = None;
        self.resize(&mut size, options.calls);
    }

    /// Halves the room, once for all calls that were under way together: `began` is when the call
    /// began that Salesforce complained about.
    pub(super) fn halve(&self, began: Instant, now: Instant) -> bool {
        let mut size = self.size();
        if size.halved_at.is_some_and(|halved| began <= halved) {
            return false;
        }
        size.halved_at = Some(now);
        size.growing_since = now;
        let half = (size.seats / 2).max(1);
        self.resize(&mut size, half);
        true
    }

    /// Seats that there are now, and how many of them are taken.
    pub(super) fn seats(&self, now: Instant) -> (u32, u32) {
        self.grow(now);
        let size = self.size();
        let free = u32::try_from(self.seats.available_permits()).unwrap_or(u32::MAX);
        (size.seats, (size.seats + size.owed).saturating_sub(free))
    }

    /// Grows by one for each time without a complaint, up to what was configured.
    fn grow(&self, now: Instant) {
        let mut size = self.size();
        let BulkheadOptions { calls, recover_every, .. } = size.options;
        while size.seats < calls
            && now.saturating_duration_since(size.growing_since) >= recover_every
        {
            size.growing_since += recover_every;
            let one_more = size.seats + 1;
            self.resize(&mut size, one_more);
        }
    }

    fn resize(&self, size: &mut Size, seats: u32) {
        if seats >= size.seats {
            let more = seats - size.seats;
            let unpaid = more.min(size.owed);
            size.owed -= unpaid;
            self.seats.add_permits(as_permits(more - unpaid));
        } else {
            let fewer = size.seats - seats;
            let gone = self.seats.forget_permits(as_permits(fewer));
            size.owed += fewer - u32::try_from(gone).unwrap_or(fewer);
        }
        size.seats = seats;
    }

    fn size(&self) -> MutexGuard<'_, Size> {
        self.size.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Whether the room has shrunk by this seat.
    fn pay_debt(&mut self) -> bool {
        let mut size = self.bulkhead.size();
        let due = size.owed > 0 && self.permit.is_some();
        if due {
            size.owed -= 1;
            if let Some(permit) = self.permit.take() {
                permit.forget();
            }
        }
        due
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.pay_debt();
        // Before the seat is free: who waits is served by a room of the right size.
        self.bulkhead.grow(Instant::now());
    }
}

/// A semaphore has a largest size, far beyond any org's.
fn as_permits(calls: u32) -> usize {
    usize::try_from(calls).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS / 2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;

    use super::*;

    const RECOVER: Duration = Duration::from_secs(10);

    fn bulkhead(calls: u32) -> Arc<Bulkhead> {
        let options =
            BulkheadOptions { calls, max_wait: Duration::from_secs(1), recover_every: RECOVER };
        Arc::new(Bulkhead::new(options, Instant::now()))
    }

    /// A seat, if there is one now.
    fn sit(bulkhead: &Arc<Bulkhead>) -> Option<Seat> {
        bulkhead.sit().now_or_never()
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_calls_than_seats() {
        let room = bulkhead(2);
        let seats = (sit(&room).unwrap(), sit(&room).unwrap());
        assert!(sit(&room).is_none());
        assert_eq!(room.seats(Instant::now()), (2, 2));
        drop(seats);
        assert_eq!(room.seats(Instant::now()), (2, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiter_that_is_dropped_gives_its_seat_to_the_next() {
        let room = bulkhead(1);
        let seat = sit(&room).unwrap();
        let mut leaves = Box::pin(room.sit());
        let mut stays = Box::pin(room.sit());
        assert!(leaves.as_mut().now_or_never().is_none());
        assert!(stays.as_mut().now_or_never().is_none());
        // The seat is the first waiter's already when it leaves.
        drop(seat);
        drop(leaves);
        assert!(stays.now_or_never().is_some());
        assert_eq!(room.seats(Instant::now()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_that_shrinks_while_it_is_full_ends_at_its_new_size() {
        let room = bulkhead(4);
        let mut seats: Vec<Seat> = (0..4).map(|_| sit(&room).unwrap()).collect();
        room.set(BulkheadOptions { calls: 2, ..room.options() });
        seats.truncate(2);
        assert!(sit(&room).is_none(), "two are under way, and two is all there is");
        seats.truncate(1);
        assert!(sit(&room).is_some());
        room.set(BulkheadOptions { calls: 3, ..room.options() });
        assert_eq!(room.seats(Instant::now()), (3, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_debt_is_paid_by_a_seat_whose_waiter_left() {
        let room = bulkhead(2);
        let (first, second) = (sit(&room).unwrap(), sit(&room).unwrap());
        let mut waits = Box::pin(room.sit());
        assert!(waits.as_mut().now_or_never().is_none());
        drop(first);
        // The free seat is the waiter's; the room shrinks by one that is taken.
        room.set(BulkheadOptions { calls: 1, ..room.options() });
        drop(waits);
        assert!(sit(&room).is_none(), "one seat, and it is taken");
        drop(second);
        assert!(sit(&room).is_some());
        assert_eq!(room.seats(Instant::now()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn complaints_about_calls_of_the_same_time_halve_it_once() {
        let room = bulkhead(8);
        let began = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        let complaints: Vec<bool> = (0..8).map(|_| room.halve(began, Instant::now())).collect();
        assert_eq!(complaints.iter().filter(|halved| **halved).count(), 1);
        assert_eq!(room.seats(Instant::now()).0, 4);
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..5 {
            let began = Instant::now();
            tokio::time::advance(Duration::from_secs(1)).await;
            room.halve(began, Instant::now());
        }
        assert_eq!(room.seats(Instant::now()).0, 1, "one call always has room");
    }

    #[tokio::test(start_paused = true)]
    async fn it_grows_back_by_one_at_a_time() {
        let room = bulkhead(8);
        tokio::time::advance(100 * RECOVER).await;
        room.halve(Instant::now(), Instant::now());
        for seats in [4, 5, 6, 7, 8, 8] {
            assert_eq!(room.seats(Instant::now()).0, seats);
            tokio::time::advance(RECOVER).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_that_shrinks_serves_its_waiters_in_their_order() {
        let room = bulkhead(2);
        let (first, second) = (sit(&room).unwrap(), sit(&room).unwrap());
        let (mut early, mut late) = (Box::pin(room.sit()), Box::pin(room.sit()));
        assert!(early.as_mut().now_or_never().is_none());
        assert!(late.as_mut().now_or_never().is_none());
        room.set(BulkheadOptions { calls: 1, ..room.options() });
        drop(first);
        assert!(early.as_mut().now_or_never().is_none());
        drop(second);
        assert!(late.as_mut().now_or_never().is_none());
        assert!(early.now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_gets_the_room_that_has_grown() {
        let room = bulkhead(2);
        room.halve(Instant::now(), Instant::now());
        let seat = sit(&room).unwrap();
        let (mut early, mut late) = (Box::pin(room.sit()), Box::pin(room.sit()));
        assert!(early.as_mut().now_or_never().is_none());
        assert!(late.as_mut().now_or_never().is_none());
        tokio::time::advance(RECOVER).await;
        drop(seat);
        let both = (early.now_or_never(), late.now_or_never());
        assert!(both.0.is_some() && both.1.is_some());
    }
}
