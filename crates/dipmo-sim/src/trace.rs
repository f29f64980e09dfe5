//! The trace: what happened, as a hash of all of it and the last of it to read.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How many steps a failure shows.
const SHOWN: usize = 60;

/// Every step of a run.
pub(crate) struct Trace {
    hash: DefaultHasher,
    last: VecDeque<String>,
    steps: u64,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self { hash: DefaultHasher::new(), last: VecDeque::new(), steps: 0 }
    }

    pub(crate) fn step(&mut self, line: String) {
        line.hash(&mut self.hash);
        self.steps += 1;
        if self.last.len() == SHOWN {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }

    /// The same for two runs that took the same steps.
    pub(crate) fn hash(&self) -> u64 {
        self.hash.finish()
    }

    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn last(&self) -> Vec<String> {
        self.last.iter().cloned().collect()
    }
}
