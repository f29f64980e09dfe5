//! Messages that were decoded again: in their old place, or as what was known already.

use std::sync::Arc;

use dipmo_store::{Decoded, Reparsed};

use crate::sim::Sim;

/// Messages were decoded again.
pub(crate) fn reparsed(
    sim: &Arc<Sim>,
    name: &str,
    messages: &[Decoded],
    answers: &[Reparsed],
    force: bool,
) {
    for ((id, message), answer) in messages.iter().zip(answers) {
        sim.step(format_args!("{name} decodes {id} again: {answer:?}"));
        let mut witness = sim.witness();
        let wrong = match answer {
            Reparsed::Done => witness.inbox.decoded(*id, message.order_key.as_ref(), force),
            Reparsed::Duplicate(first) => witness.inbox.duplicate(*id, *first),
            _ => None,
        };
        drop(witness);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}
