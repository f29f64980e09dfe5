//! What a client complains about is put up by its context; topics are looked after here.

use rdkafka::consumer::BaseConsumer;

use crate::context::Context;
use crate::health::Subject;
use crate::shared::Shared;

/// Asks about the named topics that nothing was assigned of: are they there, and may we read them?
pub(crate) fn topics(consumer: &BaseConsumer<Context>, shared: &Shared) {
    let board = &shared.board.problems;
    if shared.ledger().places().next().is_none() {
        // Nothing is ours that could not be read.
        board.clear(&Subject::Records);
    }
    let read = |topic: &str| shared.ledger().places().any(|place| place.topic == topic);
    board.look_for(consumer, shared.options.named_topics(), read);
}
