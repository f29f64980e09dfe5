//! Operations that cannot be gone on with: each rests, longer after each time, and is told of once.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::{Coded as _, StoreError};
use dipmo_store::admin::OperationId;

/// Rests: the first, and the longest.
const RESTS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];

/// Trouble with operations.
#[derive(Default)]
pub(super) struct Setbacks(BTreeMap<OperationId, Setback>);

struct Setback {
    times: u32,
    code: &'static str,
}

impl Setbacks {
    /// An operation could not be gone on with. Answers how long it is to rest.
    pub(super) fn met(&mut self, operation: OperationId, error: &StoreError) -> Duration {
        let code = error.code().as_str();
        let before = self.0.get(&operation);
        let times = before.map_or(0, |before| before.times);
        // What goes by itself was told of by who waited for it.
        if !error.is_transient() && before.is_none_or(|before| before.code != code) {
            let id = operation.0;
            tracing::error!(operation = id, code, %error, "an operation cannot go on: it rests");
        }
        self.0.insert(operation, Setback { times: times.saturating_add(1), code });
        let [first, longest] = RESTS;
        longest.min(first.saturating_mul(2_u32.saturating_pow(times)))
    }

    /// It went on to its end, or is somebody else's.
    pub(super) fn over(&mut self, operation: OperationId) {
        self.0.remove(&operation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rest_is_longer_until_it_goes_on() {
        let mut setbacks = Setbacks::default();
        let error = StoreError::RowRefused { statement: "x", problem: "y".to_owned() };
        let mut rest = |id| setbacks.met(OperationId(id), &error).as_secs();
        assert_eq!([(); 7].map(|()| rest(1)), [2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(rest(2), 2, "the trouble of one is not that of another");
        setbacks.over(OperationId(1));
        assert_eq!(setbacks.met(OperationId(1), &error).as_secs(), 2);
    }
}
