//! The topics of the demo, and what they are called on a cluster that others use too.

/// How many partitions each has: what is about one aggregate lies in one of them.
pub(crate) const PARTITIONS: i32 = 4;

/// A topic that is read, and how records on it name what they are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    pub(crate) topic: &'static str,
    /// The field of the JSON that has the aggregate.
    pub(crate) aggregate: &'static str,
}

pub(crate) const HITS: Incoming = Incoming { topic: "notification-126", aggregate: "hitId" };
pub(crate) const ONBOARDINGS: Incoming =
    Incoming { topic: "onboarding-customer", aggregate: "onboardingId" };
pub(crate) const FAMILIES: Incoming = Incoming { topic: "families", aggregate: "familyId" };
/// From another part of the program, and not over Kafka.
pub(crate) const BLOCKS: Incoming =
    Incoming { topic: "internal:blocks", aggregate: "onboardingId" };

/// What comes in over Kafka.
pub(crate) const IN: [Incoming; 3] = [HITS, ONBOARDINGS, FAMILIES];

/// The consumer groups that read it.
pub(crate) const GROUPS: [&str; 2] = ["dipmo-hits", "dipmo-members"];

/// What goes out.
pub(crate) const OUT: [&str; 2] = ["hit-events", "onboarding-events"];

/// The names of topics: those that the processes know, behind a prefix of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topics {
    prefix: String,
}

impl Topics {
    /// With names that no other run has.
    pub(crate) fn unique() -> Self {
        let run = format!("{}-{:08x}", std::process::id(), fastrand::u32(..));
        Self { prefix: format!("dipmo-demo-{run}-") }
    }

    /// As the cluster knows it.
    pub(crate) fn full(&self, plain: &str) -> String {
        format!("{}{plain}", self.prefix)
    }

    /// As the processes know it.
    pub(crate) fn plain<'a>(&self, full: &'a str) -> &'a str {
        full.strip_prefix(&self.prefix).unwrap_or(full)
    }

    /// Whether both names are the same.
    pub(crate) const fn are_plain(&self) -> bool {
        self.prefix.is_empty()
    }

    /// What is before every name.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Every topic, as the cluster knows it.
    pub(crate) fn all(&self) -> Vec<String> {
        self.incoming().into_iter().chain(self.outgoing()).collect()
    }

    pub(crate) fn incoming(&self) -> Vec<String> {
        IN.iter().map(|it| self.full(it.topic)).collect()
    }

    pub(crate) fn outgoing(&self) -> Vec<String> {
        OUT.iter().map(|topic| self.full(topic)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_from_behind_its_prefix() {
        for topics in [Topics::default(), Topics::unique()] {
            for full in topics.all() {
                assert_eq!(topics.full(topics.plain(&full)), full);
            }
            assert_eq!(topics.plain(&topics.full("hit-events")), "hit-events");
        }
    }
}
