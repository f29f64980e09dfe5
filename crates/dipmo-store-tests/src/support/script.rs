//! A batch logic made of closures, one pair for each wave.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use dipmo_domain::InboxId;
use dipmo_store::{
    BatchLogic, Changes, ClaimedBatch, ClaimedMessage, Found, Needs, Settlement, SettlementKind,
};

use super::Guard;

type Asks = Box<dyn FnOnce(&ClaimedBatch) -> Needs + Send>;
type Decides = Box<dyn FnOnce(&ClaimedBatch, &Found) -> Changes + Send>;

/// What the store showed to a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) batches: Vec<ClaimedBatch>,
    pub(crate) found: Vec<Found>,
}

/// A logic that does what the test says.
#[derive(Default)]
pub struct Script {
    waves: VecDeque<(Asks, Decides)>,
    now_deciding: Option<Decides>,
    batch: Option<ClaimedBatch>,
    guard: Option<Guard>,
    seen: Arc<Mutex<Seen>>,
}

impl Script {
    /// Ends every message well.
    #[must_use]
    pub fn process_all() -> Self {
        Self::settling(|_| super::done())
    }

    /// Settles each message as the closure says.
    #[must_use]
    pub fn settling(
        mut kind: impl FnMut(&ClaimedMessage) -> SettlementKind + Send + 'static,
    ) -> Self {
        Self::changing(move |batch, _| settled(batch, &mut kind))
    }

    /// Ends every message well, and writes something beside.
    #[must_use]
    pub fn writing(changes: impl FnOnce(&ClaimedBatch) -> Changes + Send + 'static) -> Self {
        Self::changing(move |batch, _| Changes {
            settlements: settled(batch, &mut |_| super::done()).settlements,
            ..changes(batch)
        })
    }

    /// One wave that reads nothing.
    #[must_use]
    pub fn changing(
        decides: impl FnOnce(&ClaimedBatch, &Found) -> Changes + Send + 'static,
    ) -> Self {
        Self::default().wave(|_| Needs::default(), decides)
    }

    /// One wave that reads, ends every message well, and shows what was found.
    #[must_use]
    pub fn reading(needs: Needs) -> Self {
        Self::default().wave(|_| needs, |batch, _| settled(batch, &mut |_| super::done()))
    }

    /// Adds a wave.
    #[must_use]
    pub fn wave(
        mut self,
        asks: impl FnOnce(&ClaimedBatch) -> Needs + Send + 'static,
        decides: impl FnOnce(&ClaimedBatch, &Found) -> Changes + Send + 'static,
    ) -> Self {
        self.waves.push_back((Box::new(asks), Box::new(decides)));
        self
    }

    /// Stands still inside the first decision until the gate opens.
    #[must_use]
    pub fn behind(mut self, guard: Guard) -> Self {
        self.guard = Some(guard);
        self
    }

    pub(crate) fn seen(&self) -> Arc<Mutex<Seen>> {
        Arc::clone(&self.seen)
    }
}

impl BatchLogic for Script {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.seen.lock().unwrap().batches.push(batch.clone());
        assert!(self.batch.replace(batch).is_none(), "`claimed` was called twice");
    }

    fn needs(&mut self) -> Option<Needs> {
        assert!(self.now_deciding.is_none(), "`needs` was called twice without `decide`");
        let (asks, decides) = self.waves.pop_front()?;
        self.now_deciding = Some(decides);
        Some(asks(self.batch.as_ref().expect("`needs` was called before `claimed`")))
    }

    fn decide(&mut self, found: Found) -> Changes {
        let decides = self.now_deciding.take().expect("`decide` was called without `needs`");
        if let Some(guard) = self.guard.take() {
            guard.pass();
        }
        let changes = decides(self.batch.as_ref().unwrap(), &found);
        self.seen.lock().unwrap().found.push(found);
        changes
    }
}

fn settled(
    batch: &ClaimedBatch,
    kind: &mut dyn FnMut(&ClaimedMessage) -> SettlementKind,
) -> Changes {
    let settlement = |claimed: &ClaimedMessage| -> Settlement {
        let message: InboxId = claimed.message.id;
        Settlement { message, kind: kind(claimed) }
    };
    Changes { settlements: batch.messages.iter().map(settlement).collect(), ..Changes::default() }
}
