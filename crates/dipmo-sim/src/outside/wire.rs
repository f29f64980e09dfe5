//! Requests on the wire: they arrive whether or not their sender is still there.

use std::sync::Arc;
use std::time::Duration;

use dipmo_outbox::Delivery;
use tokio::time::{Instant, sleep, sleep_until};

use crate::fault::Faulty;

/// Sends deliveries, which arrive one after the other within `time`. Never later than the deadline
/// of the sender, unless the sender is stopped with them.
pub(super) fn send(from: &Faulty, deliveries: Vec<Delivery>, time: Duration, jumps: u64) {
    let from = from.clone();
    tokio::spawn(async move {
        let (began, mut late) = (Instant::now(), false);
        let count = u32::try_from(deliveries.len()).unwrap_or(u32::MAX);
        for (place, delivery) in (1..).zip(deliveries) {
            sleep_until(began + time / count * place).await;
            let stopped = from.stopped();
            if !stopped.is_zero() {
                late = true;
                sleep(stopped).await;
            }
            arrive(&from, &delivery, late || from.sim.clock.jumps() > jumps);
        }
    });
}

fn arrive(from: &Faulty, delivery: &Delivery, excused: bool) {
    let sim = Arc::clone(&from.sim);
    let (unit, key) = (delivery.unit, delivery.order_key.as_str());
    let excuse = if excused { " late" } else { "" };
    sim.step(format_args!("unit {unit} of {key} arrives from {}{excuse}", from.name));
    let wrong = sim.outside().arrive(delivery, excused);
    wrong.into_iter().for_each(|what| sim.violation(what));
}
