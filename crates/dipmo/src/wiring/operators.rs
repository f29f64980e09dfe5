//! What an instance does for operators: it performs what they ask for, tells that it is there, and opens their door.

use std::sync::Arc;
use std::time::Duration;

use dipmo_processing::Metrics;
use dipmo_processing::operations::{Badge, Performer, Presence, Promised};
use dipmo_store::admin::Operable;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::admin::Door;
use super::instance::Part;
use super::redecode::Decoders;
use super::telling::Telling;
use super::{Pipeline, Roles, slo};

/// How long the batch of an operation may take that is in hand at a stop; its lease runs out by itself.
const LAST_BATCH: Duration = Duration::from_secs(6);
/// How long signing off may take: who is not heard of is known to be gone as well.
const LAST_WORD: Duration = Duration::from_millis(500);

/// All of it, before it runs.
pub(super) struct Operators {
    store: Arc<dyn Operable>,
    decoders: Decoders,
    badge: Badge,
    /// What is held behind what was acted upon is let go by an engine: only who has one acts.
    performs: bool,
    promised: Option<Promised>,
    door: Option<Door>,
}

impl Pipeline {
    /// What these roles do for operators.
    pub(super) fn operators(&self, store: &Arc<dyn Operable>, roles: &Roles) -> Operators {
        Operators {
            store: Arc::clone(store),
            decoders: self.decoders(),
            badge: badge(roles),
            performs: !roles.of_engine().is_empty(),
            promised: self.slo.as_ref().map(|it| slo::promised(it, store)),
            door: self.admin.as_ref().map(|plan| plan.door(self.app(store))),
        }
    }
}

impl Operators {
    /// The name of the instance.
    pub(super) fn name(&self) -> &str {
        &self.badge.name
    }

    /// Starts it all as parts of an instance.
    pub(super) fn start(
        self,
        parts: &mut JoinSet<Part>,
        (telling, metrics): (Telling, &Arc<Metrics>),
        stop: &CancellationToken,
    ) -> Present {
        let Self { store, decoders, badge, performs, promised, door } = self;
        let owner = badge.name.clone();
        let presence = Presence::new(Arc::clone(&store) as _, badge, move || telling.look());
        let leaves = CancellationToken::new();
        let presence = presence.counting(Arc::clone(metrics)).keeping(promised);
        let presence = tokio::spawn(presence.run(leaves.clone()));
        if performs {
            let performer = Performer::new(store, Arc::new(decoders), owner);
            let performing = performer.counting(Arc::clone(metrics)).run(stop.clone());
            let stop = stop.clone();
            parts.spawn(async move {
                tokio::select! {
                    () = performing => {}
                    () = async { stop.cancelled().await; sleep(LAST_BATCH).await } => {}
                }
                ("who performs operations".to_owned(), Ok(()))
            });
        }
        if let Some(door) = door {
            door.start(parts, stop);
        }
        Present { leaves, presence }
    }
}

/// Tells that the instance is there, until it leaves.
pub(super) struct Present {
    leaves: CancellationToken,
    presence: JoinHandle<()>,
}

impl Present {
    /// Signs off, if that can be done at once.
    pub(super) async fn leave(self) {
        self.leaves.cancel();
        let _ = timeout(LAST_WORD, self.presence).await;
    }
}

/// A name that no other process has, which tells where it runs.
fn badge(roles: &Roles) -> Badge {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "host" } else { host.trim() };
    Badge {
        name: format!("{host}-{}-{:08x}", std::process::id(), fastrand::u32(..)),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        roles: roles.to_string(),
    }
}
