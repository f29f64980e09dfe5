//! A thread with a connection: the driver blocks, callers do not.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use dipmo_domain::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::url::Place;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// One connection closes at a time: the last one puts the write-ahead log away, and two that close
/// at once take each other for somebody who stays.
static CLOSING: Mutex<()> = Mutex::new(());

/// Sends work to the thread. When the last of these goes, the thread ends and closes its
/// connection; work that was sent before is done first.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    jobs: Sender<Job>,
    place: Arc<Place>,
}

impl Worker {
    /// Starts a thread and opens its connection there.
    pub(crate) async fn start(
        name: &str,
        place: Arc<Place>,
        open: impl FnOnce() -> Result<Connection, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (jobs, inbox) = channel();
        let (opened, answer) = oneshot::channel();
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || match open() {
                Ok(connection) => {
                    if opened.send(Ok(())).is_ok() {
                        work(connection, &inbox);
                    }
                }
                Err(error) => drop(opened.send(Err(error))),
            })
            .map_err(|error| unreachable(&place, error.to_string()))?;
        match answer.await {
            Ok(opened) => opened.map(|()| Self { jobs, place }),
            Err(_) => Err(unreachable(&place, "its thread ended at once".to_owned())),
        }
    }

    /// Does something on the thread. A panic there goes on here, and the thread lives.
    ///
    /// A caller that goes away before its turn has changed nothing; later, what it began is done.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = move |connection: &mut Connection| {
            if !reply.is_closed() {
                let result = catch_unwind(AssertUnwindSafe(|| job(connection)));
                drop(reply.send(result));
            }
        };
        let gone = || unreachable(&self.place, "its thread has ended".to_owned());
        self.jobs.send(Box::new(job)).map_err(|_| gone())?;
        match answer.await.map_err(|_| gone())? {
            Ok(result) => result.map_err(|error| at(&self.place, error)),
            Err(panic) => resume_unwind(panic),
        }
    }
}

fn work(mut connection: Connection, jobs: &Receiver<Job>) {
    for job in jobs {
        // What a job throws was caught and passed on; this is for a value that panics when nobody
        // wants it any more and it is dropped here.
        drop(catch_unwind(AssertUnwindSafe(|| job(&mut connection))));
    }
    let _alone = CLOSING.lock().unwrap_or_else(PoisonError::into_inner);
    drop(connection);
}

/// Says which file it is that cannot be reached: a statement does not know.
fn at(place: &Place, error: StoreError) -> StoreError {
    match error {
        StoreError::Unreachable { problem, .. } => unreachable(place, problem),
        other => other,
    }
}

fn unreachable(place: &Place, problem: String) -> StoreError {
    StoreError::Unreachable { place: place.to_string(), problem }
}

#[cfg(test)]
mod tests;
