//! The topics that a record takes when it cannot be dealt with now: `<topic>-retry-1`, `-retry-2`, …
//! and then `<topic>-dlt`.
//!
//! Each attempt has a topic of its own, because a topic is a queue: whoever waits at its head waits
//! before all others, and those behind it in a topic of their own wait for nothing longer.

use std::time::Duration;

use dipmo_domain::Backoff;

/// The names of retry and dead-letter topics, and when which is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// When to try again, and how often. The number of retries is the number of retry topics.
    pub retries: Backoff,
    /// What is added to a topic for its dead letters.
    pub dead_letters: String,
}

/// More retry topics than this are no plan.
const MOST: u32 = 100;

impl Chain {
    /// How many retry topics each topic has.
    #[must_use]
    pub const fn length(&self) -> u32 {
        match self.retries {
            Backoff::Exponential { retries, .. } | Backoff::Fixed { retries, .. } => retries,
            Backoff::None => 0,
        }
    }

    /// Whether it is so long that somebody must have meant something else.
    #[must_use]
    pub const fn is_too_long(&self) -> bool {
        self.length() > MOST
    }

    /// The topic of the `attempt`th retry.
    #[must_use]
    pub fn retry_topic(topic: &str, attempt: u32) -> String {
        format!("{topic}-retry-{attempt}")
    }

    /// The topic for dead letters.
    #[must_use]
    pub fn dead_letter_topic(&self, topic: &str) -> String {
        format!("{topic}{}", self.dead_letters)
    }

    /// All retry topics of a topic, in their order.
    pub fn retry_topics(&self, topic: &str) -> impl Iterator<Item = String> {
        (1..=self.length()).map(move |attempt| Self::retry_topic(topic, attempt))
    }

    /// When to try again after `attempts` failed, and in which topic it waits; `None` is never.
    pub(crate) fn next(
        &self,
        topic: &str,
        attempts: u32,
        random: u64,
    ) -> Option<(String, Duration)> {
        let delay = self.retries.delay(attempts - 1, random)?;
        Some((Self::retry_topic(topic, attempts), delay))
    }

    /// The longest that a record waits for an attempt.
    pub(crate) const fn longest_delay(&self) -> Duration {
        match self.retries {
            Backoff::Exponential { longest, .. } => longest,
            Backoff::Fixed { delay, .. } => delay,
            Backoff::None => Duration::ZERO,
        }
    }

    /// The topic and the number of the retry, of one of the `topics` or of a retry topic of theirs.
    pub(crate) fn origin<'a>(&self, topics: &'a [String], topic: &str) -> Option<(&'a str, u32)> {
        if let Some(origin) = topics.iter().find(|origin| *origin == topic) {
            return Some((origin, 0));
        }
        topics.iter().find_map(|origin| {
            let number = topic.strip_prefix(origin.as_str())?.strip_prefix("-retry-")?;
            let number = number.parse().ok().filter(|number| *number <= self.length())?;
            (Self::retry_topic(origin, number) == topic).then_some((origin.as_str(), number))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(policy: &str) -> Chain {
        Chain { retries: policy.parse().unwrap(), dead_letters: "-dlt".to_owned() }
    }

    #[test]
    fn three_retries_are_three_topics_and_then_the_dead_letters() {
        let chain = chain("fixed(5s, 3)");
        let topics: Vec<_> = chain.retry_topics("orders").collect();
        assert_eq!(topics, ["orders-retry-1", "orders-retry-2", "orders-retry-3"]);
        let five = Duration::from_secs(5);
        let after = |attempts| chain.next("orders", attempts, 0);
        assert_eq!(after(1), Some(("orders-retry-1".to_owned(), five)));
        assert_eq!(after(3), Some(("orders-retry-3".to_owned(), five)));
        assert_eq!(after(4), None);
        assert_eq!(chain.dead_letter_topic("orders"), "orders-dlt");
    }

    #[test]
    fn a_topic_of_the_chain_knows_where_it_comes_from() {
        let topics = ["orders".to_owned(), "orders-new".to_owned(), "orders-retry-3".to_owned()];
        let chain = chain("fixed(5s, 2)");
        let origin = |topic: &str| chain.origin(&topics, topic);
        assert_eq!(origin("orders"), Some(("orders", 0)));
        assert_eq!(origin("orders-retry-2"), Some(("orders", 2)));
        assert_eq!(origin("orders-new-retry-1"), Some(("orders-new", 1)));
        assert_eq!(origin("orders-retry-3"), Some(("orders-retry-3", 0)), "it is read by its name");
        for other in ["orders-new-retry-3", "orders-retry-x", "orders-retry-+1", "others"] {
            assert_eq!(origin(other), None, "{other}");
        }
    }

    #[test]
    fn without_retries_the_first_attempt_is_the_last() {
        assert_eq!(chain("none").length(), 0);
        assert_eq!(chain("none").next("orders", 1, 0), None);
        assert!(chain("fixed(1s, 101)").is_too_long());
    }
}
