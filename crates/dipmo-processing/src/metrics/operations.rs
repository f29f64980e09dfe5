//! Figures of operations.

use dipmo_store::admin::Operation;

/// Figures of the operations that an instance performs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationFigures {
    /// Operations that it took: new ones, resumed ones, and those of an instance that crashed or
    /// stopped.
    pub taken: u64,
    /// Operations that ended here.
    pub ended: u64,
    /// Items that it met.
    pub met: u64,
    /// Of those, to how many it was done.
    pub done: u64,
    /// How often one could not be gone on with, and was left for later.
    pub set_back: u64,
}

impl OperationFigures {
    /// An operation went on. Only who has its lease moves it, so what lies between was done here, also by a
    /// call whose answer was lost.
    pub(crate) const fn went_on(&mut self, before: &Operation, after: &Operation) {
        self.met += after.met.saturating_sub(before.met);
        self.done += after.done.saturating_sub(before.done);
    }
}
