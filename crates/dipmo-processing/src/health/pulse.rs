//! What the parts of an instance note while they work.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::{Coded as _, StoreError};
use dipmo_store::Backlog;
use tokio::time::Instant;

use super::part::Part;
use super::queues::{INBOX, Queues};
use super::seen::{PartSeen, Progress, Seen, StoreSeen, Trouble};
use crate::engine::Role;

/// The notes of an instance: when each part last did something, and how the database is.
///
/// An engine has one, which sources and whoever shows health share: [`Engine::pulse`](crate::Engine::pulse).
#[derive(Debug, Default)]
pub struct Pulse(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    stopping: bool,
    starting: Option<String>,
    parts: BTreeMap<String, PartNoted>,
    store: StoreNoted,
    queues: Queues,
    counted: Option<(Backlog, Instant)>,
}

#[derive(Debug)]
pub(super) struct PartNoted {
    began: Instant,
    tasks: usize,
    gone: Option<Instant>,
    pub(super) trouble: Option<Trouble>,
    pub(super) note: Option<Trouble>,
    pub(super) progress: (Progress, Instant),
}

#[derive(Debug, Default)]
struct StoreNoted {
    absent: bool,
    answered: Option<Instant>,
    away: Option<(Instant, Trouble)>,
    failed: Option<Instant>,
    schema: Option<Trouble>,
}

impl Pulse {
    /// A part that is expected to run from now on.
    #[must_use]
    pub fn part(self: &Arc<Self>, name: &str) -> Part {
        let now = Instant::now();
        let part = PartNoted {
            began: now,
            tasks: 0,
            gone: Some(now),
            trouble: None,
            note: None,
            progress: (Progress::default(), now),
        };
        self.lock().parts.insert(name.to_owned(), part);
        Part::new(Arc::clone(self), name)
    }

    /// What it waits for before anything of it runs; `None` once it does.
    pub fn starting(&self, what: Option<&str>) {
        self.lock().starting = what.map(str::to_owned);
    }

    /// It was told to stop: what ends from now on ends as it should.
    pub fn stopping(&self) {
        self.lock().stopping = true;
    }

    /// How it stands now.
    #[must_use]
    pub fn look(&self) -> Seen {
        let (now, noted) = (Instant::now(), self.lock());
        let ago = |instant: Instant| now.saturating_duration_since(instant);
        let store = &noted.store;
        let away = store.away.as_ref();
        let jobs = noted.counted.iter().flat_map(|(backlog, _)| {
            let age = |jobs: &dipmo_store::OpenJobs| backlog.at.since(jobs.oldest);
            backlog.jobs.iter().map(move |(name, jobs)| (name.clone(), age(jobs)))
        });
        let began = |queue: &str| {
            let role = if queue == INBOX { Role::Process } else { Role::Publish };
            noted.parts.get(role.as_str()).map(|part| part.began)
        };
        Seen {
            stopping: noted.stopping,
            starting: noted.starting.clone(),
            store: StoreSeen {
                absent: store.absent,
                answered: store.answered.map(ago),
                away: away.map(|(since, trouble)| (ago(*since), trouble.clone())),
                failed: store.failed.map(ago),
                schema: store.schema.clone(),
            },
            parts: noted.parts.iter().map(|(name, part)| (name.clone(), part.seen(now))).collect(),
            counted: noted.counted.as_ref().map(|(_, at)| ago(*at)),
            queues: noted.queues.seen(now, began),
            jobs: jobs.collect(),
        }
    }

    /// How long ago somebody counted what waits.
    pub(super) fn counted_ago(&self) -> Option<Duration> {
        self.lock().counted.as_ref().map(|(_, at)| at.elapsed())
    }

    pub(super) fn tasks(&self, part: &str, change: impl FnOnce(usize) -> usize) {
        self.part_changed(part, |part| {
            part.tasks = change(part.tasks);
            part.gone = (part.tasks == 0).then(Instant::now);
        });
    }

    pub(super) fn part_changed(&self, part: &str, change: impl FnOnce(&mut PartNoted)) {
        if let Some(part) = self.lock().parts.get_mut(part) {
            change(part);
        }
    }

    /// There is no database, and nothing that runs here wants one.
    pub fn without_store(&self) {
        self.lock().store.absent = true;
    }

    pub(super) fn schema(&self, trouble: Option<Trouble>) {
        self.lock().store.schema = trouble;
    }

    /// The database answered a question, whatever it was.
    pub(crate) fn answered(&self) {
        let store = &mut self.lock().store;
        store.answered = Some(Instant::now());
        store.away = None;
    }

    /// The database did not answer a question that asks for nothing else.
    pub(crate) fn away(&self, error: &StoreError) {
        let trouble = Trouble::of(error);
        let since = |store: &StoreNoted| store.away.as_ref().map(|(since, _)| *since);
        let store = &mut self.lock().store;
        store.away = Some((since(store).unwrap_or_else(Instant::now), trouble));
    }

    /// A call of somebody failed.
    pub(crate) fn failed(&self) {
        self.lock().store.failed = Some(Instant::now());
    }

    /// What waits was counted.
    pub(crate) fn counted(&self, backlog: &Backlog) {
        let now = Instant::now();
        let mut noted = self.lock();
        noted.queues.counted(backlog, now);
        noted.counted = Some((backlog.clone(), now));
    }

    /// Something of a queue was done.
    pub(crate) fn worked(&self, queue: &str) {
        self.lock().queues.worked(queue, Instant::now());
    }

    /// Something of a queue is being done, and that may take so long.
    pub(crate) fn works(&self, queue: &str, at_most: Duration) {
        let now = Instant::now();
        let until = now.checked_add(at_most).unwrap_or(now);
        self.lock().queues.worked(queue, until);
    }

    /// A destination takes nothing, or does again.
    pub(crate) fn closed(&self, queue: &str, why: Option<Trouble>) {
        self.lock().queues.closed(queue, why, Instant::now());
    }

    /// An operator holds a queue back, or does so no more.
    pub(crate) fn paused(&self, queue: &str, why: Option<Trouble>) {
        self.lock().queues.paused(queue, why, Instant::now());
    }

    /// The destinations that nobody here serves.
    pub(crate) fn unserved(&self, queues: &[String]) {
        self.lock().queues.unserved(queues);
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartNoted {
    fn seen(&self, now: Instant) -> PartSeen {
        let gone = self.gone.map(|gone| now.saturating_duration_since(gone));
        let (trouble, note) = (self.trouble.clone(), self.note.clone());
        PartSeen { tasks: self.tasks, gone, trouble, note, progress: self.progress(now) }
    }

    /// As it was told, and older by now: who tells it may hang as well.
    fn progress(&self, now: Instant) -> Progress {
        let (Progress { turned, undone, paused }, at) = &self.progress;
        let since = now.saturating_duration_since(*at);
        let older = |time: Duration| time.saturating_add(since);
        Progress {
            turned: turned.map(older),
            undone: undone.map(older),
            paused: paused.clone().map(|(why, time)| (why, older(time))),
        }
    }
}

impl Trouble {
    pub(super) fn of(error: &StoreError) -> Self {
        Self { code: error.code().to_string(), text: error.to_string() }
    }
}
