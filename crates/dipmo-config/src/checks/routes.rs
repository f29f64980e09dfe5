//! A message has one taker.

use crate::problem::{Problem, codes};
use crate::{Config, Declared, Problems};

pub(super) fn check(config: &Config, declared: &Declared, problems: &mut Problems) {
    if let Err((name, error)) = declared.registry() {
        let place = config.processes.entry(name).map(|(name, _)| name.place);
        problems.push(Problem::error(codes::PROCESS_INVALID, place, error.to_string()));
    }
}
