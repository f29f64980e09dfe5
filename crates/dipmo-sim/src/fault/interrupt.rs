//! What happens while a batch is in the middle of its transaction.

use std::time::Duration;

use crate::fault::Faulty;

impl Faulty {
    /// Lets something else happen, now and then.
    pub(super) fn interrupt(&self) {
        let sim = &self.sim;
        if !sim.fault(sim.options.faults.interrupt) {
            return;
        }
        match sim.chance.below(12) {
            0 => {
                sim.step(format_args!("{} all sessions are killed in mid-batch", self.name));
                sim.store.kill_sessions();
            }
            1 => {
                // Longer than a session may stand still.
                sim.step(format_args!("{} stands still in mid-batch", self.name));
                sim.clock.jump_ahead(Duration::from_secs(31));
            }
            _ => {
                if sim.traffic.run_any(&sim.chance) {
                    sim.step(format_args!("{} ... and its batch goes on", self.name));
                }
            }
        }
    }
}
