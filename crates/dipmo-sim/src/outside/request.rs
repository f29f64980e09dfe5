//! A request to the service: it arrives whether or not its sender is still there, and an answer may
//! be lost on its way back.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::fault::Faulty;
use crate::sim::Sim;

/// Asks for something; `None` when there is no answer, and it may have happened or not.
pub(super) async fn ask<T: std::fmt::Debug + Send + 'static>(
    from: &Faulty,
    what: &str,
    act: impl FnOnce(&Arc<Sim>) -> T + Send + 'static,
) -> Option<T> {
    let sim = Arc::clone(&from.sim);
    let fails = sim.options.faults.destination.saturating_mul(2);
    if sim.fault(fails) {
        sleep(sim.chance.millis(1..=5)).await;
        sim.step(format_args!("{} {what}: does not get there", from.name));
        return None;
    }
    let slow = sim.fault(sim.options.faults.delay);
    let way = sim.chance.millis(if slow { 1..=2_000 } else { 1..=5 });
    let (tell, told) = oneshot::channel();
    let sender = from.clone();
    tokio::spawn(async move {
        sleep(way).await;
        sender.while_stopped().await;
        // Nobody to tell is a sender that crashed meanwhile.
        drop(tell.send(act(&sender.sim)));
    });
    let answer = told.await.ok()?;
    sleep(sim.chance.millis(1..=3)).await;
    from.while_stopped().await;
    if sim.fault(fails) {
        sim.step(format_args!("{} {what}: the answer is lost", from.name));
        return None;
    }
    sim.step(format_args!("{} {what}: {answer:?}", from.name));
    Some(answer)
}
