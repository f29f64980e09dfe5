//! How long calls take, so that a seed means the same whatever else is asked.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;
use crate::schema::Schema;
use crate::server::api::Api;

/// How many times each family has drawn. Numbers of calls would not do: a test that looks at the
/// simulator in between takes some of them.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Mutex<BTreeMap<Api, u64>>);

impl Latencies {
    /// How long the next call of that family takes.
    pub(crate) fn draw(&self, schema: &Schema, clock: &Clock, api: Api) -> Duration {
        let number = {
            let mut drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let drawn = drawn.entry(api).or_default();
            *drawn += 1;
            *drawn
        };
        let mut rng = clock.rng(&format!("latency {}", api.name()), number);
        schema.latency.of(api.name()).sample(&mut rng)
    }

    /// Begins anew.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_draw_changes_nothing() {
        let schema = Schema::parse("latency: { rest: { uniform: [1ms, 1h] } }").unwrap();
        let clock = Clock::new(7);
        let (alone, crowded) = (Latencies::default(), Latencies::default());
        let draw = |from: &Latencies, api| from.draw(&schema, &clock, api);
        let expected = [draw(&alone, Api::Query), draw(&alone, Api::Query)];
        assert_ne!(expected[0], expected[1]);
        let first = draw(&crowded, Api::Query);
        draw(&crowded, Api::Limits);
        assert_eq!([first, draw(&crowded, Api::Query)], expected);
        alone.clear();
        assert_eq!(draw(&alone, Api::Query), expected[0]);
    }
}
