//! A message has one taker.

use dipmo_api::Registry;

use crate::problem::{Problem, codes};
use crate::{Config, Declared, Problems};

pub(super) fn check(config: &Config, declared: &Declared, problems: &mut Problems) {
    let mut registry = Registry::new();
    for process in &declared.processes {
        let name = dipmo_api::ErasedProcess::description(process.as_ref()).name();
        registry = match registry.erased(process.clone()) {
            Ok(registry) => registry,
            Err(error) => {
                let place = config.processes.entry(name).map(|(name, _)| name.place);
                let message = error.to_string();
                problems.push(Problem::error(codes::PROCESS_INVALID, place, message));
                return;
            }
        };
    }
}
