//! Wake-ups: passed on to one listener after the other, or lost.
//!
//! Each listener has a channel of its own. Tokio spreads those who wait for one channel at random,
//! and the order in which they woke would differ from run to run.

use std::sync::{Arc, Mutex};

use dipmo_store::{Side, Wake};
use tokio::sync::watch;

use crate::fault::Faulty;
use crate::sim::{Sim, lock};

/// Those who want to be told.
#[derive(Default)]
pub(crate) struct Listeners(Mutex<Vec<(Side, watch::Sender<u64>)>>);

impl Listeners {
    /// Passes on what the store rings, for ever.
    pub(crate) async fn pass_on(sim: Arc<Sim>, side: Side) {
        let mut arrivals = sim.store.arrivals(side);
        while arrivals.changed().await.is_ok() {
            let count = *arrivals.borrow_and_update();
            let mut all = lock(&sim.listeners.0);
            all.retain(|(_, listener)| !listener.is_closed());
            for (_, listener) in all.iter().filter(|(of, _)| *of == side) {
                if !sim.fault(sim.options.faults.deaf) {
                    listener.send_replace(count);
                }
            }
        }
    }
}

impl Wake for Faulty {
    fn arrivals(&self, side: Side) -> watch::Receiver<u64> {
        let (listener, arrivals) = watch::channel(0);
        lock(&self.sim.listeners.0).push((side, listener));
        arrivals
    }
}
