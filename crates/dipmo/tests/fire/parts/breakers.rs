//! When breakers of instances were open, told by the instances; and whether Salesforce heard of them
//! meanwhile.
//!
//! Each instance notes the changes of its breakers down in a file of its own, and speaks an API version of
//! its own, by which Salesforce's log tells the calls of one from those of another.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dipmo_domain::Timestamp;
use salesforce_sim::LoggedCall;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::folder::Folder;
use super::org::{CALL, OPEN};

/// Where a child notes down what its breakers do.
pub(crate) const NOTES: &str = "DIPMO_FIRE_BREAKERS";

/// What the publisher says of a breaker.
const OPENED: &str = "the breaker opened";

/// A call that had passed before the opening may arrive for as long as a call lasts.
const UNDER_WAY: Duration = CALL.saturating_add(Duration::from_millis(100));

/// Notes are written a little after what they tell.
const LATE: Duration = Duration::from_millis(50);

/// In a child: notes down what its breakers do.
pub(crate) fn note_down(file: &Path) {
    let file = OpenOptions::new().create(true).append(true).open(file).unwrap();
    tracing::subscriber::set_global_default(Notes(file)).unwrap();
}

struct Notes(File);

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("dipmo_sink_salesforce::resilience")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut said = Said::default();
        event.record(&mut said);
        if said.message.starts_with("the breaker ") {
            // One write, so that whoever is killed leaves whole lines.
            let line = format!("{}|{}|{}\n", now(), said.message, said.target);
            (&self.0).write_all(line.as_bytes()).unwrap();
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Said {
    message: String,
    target: String,
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "target" => self.target = format!("{value:?}"),
            _ => {}
        }
    }
}

/// The breakers of all instances that there were.
pub(crate) struct Breakers {
    folder: Folder,
    instances: Mutex<Vec<Instance>>,
}

/// One instance.
#[derive(Clone)]
pub(crate) struct Instance {
    pub(crate) notes: PathBuf,
    /// The API version that only this one of all that run speaks.
    pub(crate) version: String,
    /// When it was ended.
    ended: Option<i64>,
}

/// A time in which a breaker let nothing pass.
#[derive(Debug)]
struct Window {
    /// An org or an object, as the publisher names it.
    target: String,
    from: i64,
    until: i64,
}

impl Breakers {
    pub(crate) fn new() -> Self {
        Self { folder: Folder::new(), instances: Mutex::default() }
    }

    /// The next instance, and its number.
    pub(crate) fn instance(&self) -> (usize, Instance) {
        let mut instances = self.instances.lock().unwrap();
        let number = instances.len();
        let notes = self.folder.file(&format!("instance-{number}"));
        // Fewer than so many run at once.
        let version = format!("{}.0", 50 + number % 18);
        instances.push(Instance { notes, version, ended: None });
        (number, instances[number].clone())
    }

    /// An instance is about to be ended.
    pub(crate) fn ends(&self, number: usize) {
        self.instances.lock().unwrap()[number].ended = Some(now());
    }

    /// Whether a breaker of an org was open for long enough to tell what came meanwhile.
    pub(crate) fn an_org_was_left_alone(&self) -> bool {
        let instances = self.instances.lock().unwrap();
        let mut windows = instances.iter().flat_map(Instance::windows);
        windows.any(|window| window.target.starts_with("org ") && window.is_checked())
    }

    /// No call came from an instance to what a breaker of it was open for.
    pub(crate) fn check(&self, calls: &[LoggedCall]) {
        assert!(self.an_org_was_left_alone(), "no breaker of an org was ever open");
        let at = |call: &LoggedCall| Timestamp::from_rfc3339(&call.at).unwrap().as_micros();
        let calls: Vec<(i64, &LoggedCall)> = calls.iter().map(|call| (at(call), call)).collect();
        for instance in &*self.instances.lock().unwrap() {
            let of_instance = format!("/services/data/v{}/", instance.version);
            for window in instance.windows().filter(Window::is_checked) {
                let breach = calls.iter().find(|(at, call)| {
                    (window.from..window.until).contains(at)
                        && call.path.starts_with(&of_instance)
                        && window.is_about(call)
                });
                assert!(breach.is_none(), "{breach:?} came while {window:?}");
            }
        }
    }
}

impl Instance {
    /// The times in which breakers of it let nothing pass.
    fn windows(&self) -> impl Iterator<Item = Window> {
        // Whoever was killed before it was ready has noted nothing down.
        let notes = std::fs::read_to_string(&self.notes).unwrap_or_default();
        let mut changes: BTreeMap<String, Vec<(i64, bool)>> = BTreeMap::new();
        for line in notes.lines() {
            let [at, message, target] = line.split('|').collect::<Vec<_>>()[..] else {
                panic!("{line:?} is no note");
            };
            let change = (at.parse().unwrap(), message == OPENED);
            changes.entry(target.to_owned()).or_default().push(change);
        }
        let ended = self.ended.unwrap_or_else(now);
        changes.into_iter().flat_map(move |(target, changes)| {
            let next = changes.iter().skip(1).map(|(at, _)| *at).chain([ended]);
            let windows = changes.iter().zip(next).filter(|((_, opened), _)| *opened);
            let window = |((opened, _), next): (&(i64, bool), i64)| Window {
                target: target.clone(),
                from: opened + micros(UNDER_WAY),
                until: next.min(opened + micros(OPEN)) - micros(LATE),
            };
            windows.map(window).collect::<Vec<_>>()
        })
    }
}

impl Window {
    /// Whether there was any time in which nothing could come.
    fn is_checked(&self) -> bool {
        self.from < self.until
    }

    /// Uploads and results take their time before they arrive, and calls about jobs name no object.
    fn is_about(&self, call: &LoggedCall) -> bool {
        let slow = ["bulk.upload", "bulk.results"].contains(&call.api);
        match self.target.split_once(" in org ") {
            _ if slow => false,
            None => true,
            Some((object, _)) => call.path.contains(&format!("/{object}/")),
        }
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap()
}

#[expect(
    clippy::disallowed_methods,
    reason = "instances and Salesforce have no other clock in common"
)]
fn now() -> i64 {
    micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap())
}
