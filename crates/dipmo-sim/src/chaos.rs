//! Chaos: what happens to instances and to the database while things go wrong.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::Registry;
use tokio::time::sleep;

use crate::instance::Instance;
use crate::sim::Sim;

/// How often chaos has a chance.
const BEAT: Duration = Duration::from_millis(500);

/// Lets things happen until the time of faults is over; then every instance runs.
pub(crate) async fn reign(sim: &Arc<Sim>, instances: &mut [Instance], registry: &Arc<Registry>) {
    for instance in &mut *instances {
        instance.start(sim, registry);
    }
    while sim.clock.elapsed() < sim.options.faulty && !sim.is_broken() {
        sleep(BEAT + sim.chance.millis(0..=20)).await;
        for instance in &mut *instances {
            if !instance.is_running() && sim.chance.one_in(3) {
                instance.start(sim, registry);
            }
        }
        if sim.fault(sim.options.faults.chaos) {
            strike(sim, instances);
        }
    }
    sim.calm_down();
    for instance in instances.iter_mut().filter(|instance| !instance.is_running()) {
        instance.start(sim, registry);
    }
}

fn strike(sim: &Arc<Sim>, instances: &mut [Instance]) {
    let one = sim.chance.below(instances.len());
    match sim.chance.below(9) {
        0..=2 => instances[one].crash(sim),
        3 | 4 => instances[one].freeze(sim),
        5 => {
            // It ends what it began, while a new one may already run beside it.
            drop(instances[one].shut_down(sim));
        }
        6 => {
            let time = sim.chance.millis(50..=3_000);
            sim.step(format_args!("destinations are closed for {} ms", time.as_millis()));
            sim.close_for(time);
        }
        7 => {
            let by = sim.chance.millis(1..=20_000);
            sim.step(format_args!("the database's clock jumps ahead by {} ms", by.as_millis()));
            sim.clock.jump_ahead(by);
        }
        _ => {
            let by = sim.chance.millis(1..=700);
            sim.step(format_args!("the database's clock goes back by {} ms", by.as_millis()));
            sim.clock.jump_back(by);
        }
    }
}
