//! One look at the database for all who watch, every few seconds, and none while nobody does.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dipmo_store::admin::Operable;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;

use crate::app::AppLimits;
use crate::gate::Gate;
use crate::problem::Problem;
use crate::routes::events;

/// What those who watch are told, ready to be sent; `None` before the first look.
pub(crate) type News = Option<Arc<str>>;

type Look = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Arc<str>> + Send>> + Send + Sync>;

/// Looks while somebody watches.
pub(crate) struct Watch {
    look: Look,
    every: Duration,
    most: usize,
    seats: Arc<Semaphore>,
    news: watch::Sender<News>,
    /// True while somebody looks. Whoever changes it holds it while they count who watches.
    looks: Mutex<bool>,
}

/// A place among those who watch.
pub(crate) struct Watcher {
    pub(crate) news: watch::Receiver<News>,
    _seat: OwnedSemaphorePermit,
}

impl Watch {
    /// Looks at what waits in a store.
    pub(crate) fn of_store(store: Arc<dyn Operable>, gate: Gate, limits: AppLimits) -> Arc<Self> {
        let look = move || {
            let (store, gate) = (Arc::clone(&store), gate.clone());
            let news: Pin<Box<dyn Future<Output = Arc<str>> + Send>> =
                Box::pin(async move { events::news(&*store, &gate).await });
            news
        };
        Self::new(Box::new(look), limits.watch_every, limits.watchers)
    }

    fn new(look: Look, every: Duration, most: usize) -> Arc<Self> {
        let seats = Arc::new(Semaphore::new(most));
        let (news, looks) = (watch::Sender::new(None), Mutex::new(false));
        Arc::new(Self { look, every, most, seats, news, looks })
    }

    /// A place, if one is free. The first who watches makes somebody look.
    pub(crate) fn join(self: &Arc<Self>) -> Result<Watcher, Problem> {
        let seat = Arc::clone(&self.seats).try_acquire_owned();
        let seat = seat.map_err(|_| Problem::watchers_full(self.most))?;
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut news = self.news.subscribe();
        if *looks {
            // What was seen last is news to who just came.
            news.mark_changed();
        } else {
            *looks = true;
            tokio::spawn(Arc::clone(self).look_on());
        }
        Ok(Watcher { news, _seat: seat })
    }

    async fn look_on(self: Arc<Self>) {
        let mut looking = Looking { watch: &self, ended: false };
        // What was seen before everybody left is old.
        self.news.send_replace(None);
        while self.is_watched() {
            let seen = (self.look)().await;
            self.news.send_replace(Some(seen));
            sleep(self.every).await;
        }
        looking.ended = true;
    }

    /// Whether anybody watches; when nobody does, nobody looks from now on.
    fn is_watched(&self) -> bool {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        *looks = self.news.receiver_count() > 0;
        *looks
    }
}

/// Somebody who looks. When a look breaks, the next who comes makes somebody look again.
struct Looking<'a> {
    watch: &'a Watch,
    /// Nobody watches: that is said already, and somebody else may look by now.
    ended: bool,
}

impl Drop for Looking<'_> {
    fn drop(&mut self) {
        if !self.ended {
            *self.watch.looks.lock().unwrap_or_else(PoisonError::into_inner) = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const EVERY: Duration = Duration::from_secs(2);

    fn counting(most: usize) -> (Arc<Watch>, Arc<AtomicU32>) {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let look: Look = Box::new(move || {
            let seen = counted.fetch_add(1, Ordering::SeqCst).to_string();
            Box::pin(async move { seen.into() })
        });
        (Watch::new(look, EVERY, most), count)
    }

    async fn told(watcher: &mut Watcher) -> String {
        loop {
            watcher.news.changed().await.unwrap();
            if let Some(news) = watcher.news.borrow_and_update().clone() {
                return news.to_string();
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn ten_watchers_cost_what_one_does_and_none_cost_nothing() {
        let (watch, count) = counting(10);
        let mut watchers: Vec<_> = (0..10).map(|_| watch.join().unwrap()).collect();
        for look in ["0", "1", "2"] {
            for watcher in &mut watchers {
                assert_eq!(told(watcher).await, look);
            }
        }
        drop(watchers);
        sleep(EVERY * 10).await;
        assert_eq!(count.load(Ordering::SeqCst), 3);
        let mut again = watch.join().unwrap();
        assert_eq!(told(&mut again).await, "3", "and nothing old");
        let mut second = watch.join().unwrap();
        assert_eq!(told(&mut second).await, "3", "at once");
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_look_that_broke_the_next_who_comes_makes_somebody_look() {
        let broken = AtomicU32::new(0);
        let look: Look = Box::new(move || {
            let first = broken.fetch_add(1, Ordering::SeqCst) == 0;
            Box::pin(async move { if first { panic!("on purpose") } else { "seen".into() } })
        });
        let watch = Watch::new(look, EVERY, 2);
        let mut first = watch.join().unwrap();
        sleep(EVERY).await;
        let mut second = watch.join().unwrap();
        assert_eq!(told(&mut second).await, "seen");
        assert_eq!(told(&mut first).await, "seen");
    }

    #[tokio::test(start_paused = true)]
    async fn seats_are_bounded_and_are_given_back() {
        let (watch, _) = counting(2);
        let (_first, second) = (watch.join().unwrap(), watch.join().unwrap());
        assert!(watch.join().is_err());
        drop(second);
        assert!(watch.join().is_ok());
    }
}
