//! Events that nothing brings.

use dipmo_api::{DELIVERED, DELIVERY_FAILED};

use crate::problem::{Problem, codes};
use crate::{Config, Name, Problems};

pub(super) fn check(config: &Config, problems: &mut Problems) {
    for (process, declared) in config.processes.iter() {
        let heard = declared.listens.iter().flat_map(|(_, events)| events.iter().map(Name::as_str));
        let timed = declared.timer_changes().filter_map(|timer| timer.event.as_deref());
        let comes: Vec<&str> = heard.chain(timed).collect();
        for (event, _) in declared.events.iter() {
            let is_report = [DELIVERED, DELIVERY_FAILED].contains(&event.as_str());
            if !is_report && !comes.contains(&event.as_str()) {
                let message = format!("nothing brings {process} the event {event}");
                let hint = "name it under `listens`, or set a timer with it";
                let problem = Problem::warning(codes::EVENT_UNUSED, event.place, message);
                problems.push(problem.hint(hint));
            }
        }
    }
}
