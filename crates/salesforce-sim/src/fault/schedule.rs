//! When a rule fires: counting and chance, and nothing else.

use fastrand::Rng;
use serde_json::{Value as Json, json};

use crate::clock::seeded;
use crate::fault::rule::Rule;

/// A rule and what became of it.
#[derive(Debug)]
pub(crate) struct Scheduled {
    pub(crate) rule: Rule,
    matched: u64,
    fired: u64,
    /// Of its own, so that the decisions of a rule depend on its own matches alone.
    rng: Rng,
}

impl Scheduled {
    pub(crate) fn new(rule: Rule, seed: u64, position: usize) -> Self {
        let rng = seeded(seed, "fault", position as u64);
        Scheduled { rule, matched: 0, fired: 0, rng }
    }

    /// Counts a match and says whether it is hit. Where an earlier rule has hit it already, this
    /// one `may_fire` no more but counts and draws as ever, so that rules do not shift each other.
    pub(crate) fn decide(&mut self, may_fire: bool) -> bool {
        self.matched += 1;
        let lucky = self.rule.probability.is_none_or(|probability| self.rng.f64() < probability);
        let left = self.rule.times.is_none_or(|times| self.fired < times);
        let fires = may_fire && lucky && left && self.matched > self.rule.skip;
        self.fired += u64::from(fires);
        fires
    }

    /// The rule with its counters.
    pub(crate) fn show(&self) -> Json {
        let mut shown = json!(self.rule);
        shown["matched"] = json!(self.matched);
        shown["fired"] = json!(self.fired);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheduled(rule: Json, seed: u64) -> Scheduled {
        Scheduled::new(serde_json::from_value(rule).unwrap(), seed, 0)
    }

    fn pattern(rule: Json, seed: u64) -> String {
        let mut scheduled = scheduled(rule, seed);
        (0..40).map(|_| if scheduled.decide(true) { 'x' } else { '.' }).collect()
    }

    #[test]
    fn skip_and_times_choose_the_matches() {
        let fault = json!({ "kind": "server_error" });
        let shown = pattern(json!({ "skip": 2, "times": 3, "fault": fault }), 0);
        assert_eq!(shown.trim_end_matches('.'), "..xxx");
        assert_eq!(pattern(json!({ "fault": fault }), 0), "x".repeat(40));
        assert_eq!(pattern(json!({ "fault": fault, "probability": 0.0 }), 0), ".".repeat(40));
    }

    #[test]
    fn the_same_seed_decides_the_same() {
        let rule = json!({ "probability": 0.5, "fault": { "kind": "server_error" } });
        assert_eq!(pattern(rule.clone(), 7), pattern(rule.clone(), 7));
        assert_ne!(pattern(rule.clone(), 7), pattern(rule, 8));
    }

    #[test]
    fn a_rule_that_may_not_fire_draws_all_the_same() {
        let rule = json!({ "probability": 0.5, "fault": { "kind": "server_error" } });
        let mut scheduled = scheduled(rule.clone(), 7);
        assert!(!scheduled.decide(false));
        let rest: String =
            (1..40).map(|_| if scheduled.decide(true) { 'x' } else { '.' }).collect();
        assert_eq!(rest, pattern(rule, 7)[1..]);
        assert_eq!(scheduled.show()["matched"], 40);
    }
}
