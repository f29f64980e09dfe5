//! Operators: what they retried may be tried again, what they skipped never.

use std::fmt::Display;
use std::sync::Arc;

use dipmo_domain::{InboxId, OutboxId};
use dipmo_store::{Acted, BoxStatus};

use crate::sim::Sim;

/// Messages were retried.
pub(crate) fn retried<S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    ids: &[InboxId],
    acts: &[Acted<S>],
    force: bool,
) {
    for id in done(sim, name, "retries", ids, acts) {
        let wrong = sim.witness().inbox.retried(id, force);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}

/// Messages were skipped.
pub(crate) fn skipped<S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    ids: &[InboxId],
    acts: &[Acted<S>],
) {
    for id in done(sim, name, "skips", ids, acts) {
        let wrong = sim.witness().inbox.skipped(id);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}

/// Those behind messages were let go.
pub(crate) fn released<S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    ids: &[InboxId],
    acts: &[Acted<S>],
) {
    for id in done(sim, name, "releases those behind", ids, acts) {
        let wrong = sim.witness().inbox.released(id);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}

/// Those behind units were let go.
pub(crate) fn released_units<S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    ids: &[OutboxId],
    acts: &[Acted<S>],
) {
    for id in done(sim, name, "releases those behind unit", ids, acts) {
        let wrong = sim.outside().released(id);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}

/// Units were retried.
pub(crate) fn retried_units<S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    ids: &[OutboxId],
    acts: &[Acted<S>],
    force: bool,
) {
    for id in done(sim, name, "retries unit", ids, acts) {
        let wrong = sim.outside().retried(id, force);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}

/// Units were given up.
pub(crate) fn skipped_units<S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    ids: &[OutboxId],
    acts: &[Acted<S>],
) {
    for id in done(sim, name, "gives up unit", ids, acts) {
        let wrong = sim.outside().skipped(id);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}

/// Those with which something was done.
fn done<Id: Copy + Display, S: BoxStatus>(
    sim: &Arc<Sim>,
    name: &str,
    what: &str,
    ids: &[Id],
    acts: &[Acted<S>],
) -> Vec<Id> {
    let done = ids.iter().zip(acts).filter(|(_, act)| matches!(act, Acted::Done));
    let done: Vec<Id> = done.map(|(id, _)| *id).collect();
    done.iter().for_each(|id| sim.step(format_args!("{name} {what} {id}")));
    done
}
