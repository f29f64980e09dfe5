//! What the health of a leg says about the health of the instance.

use std::sync::Arc;

use dipmo_leg_kafka::{Health, KafkaLeg};
use dipmo_processing::health::{Part, Trouble};
use tokio_util::sync::CancellationToken;

use super::watching::watch;

/// Notes how a leg is until it is stopped.
pub async fn watch_leg(leg: Arc<KafkaLeg>, part: Part, stop: CancellationToken) {
    watch(stop, || {
        let (trouble, note) = judged(&leg.health());
        part.trouble(trouble);
        part.note(note);
    })
    .await;
}

/// Why it reads nothing, or what is wrong although it reads.
///
/// A member of the group without a partition is as it should be: others have them all, and it takes
/// over when they go.
fn judged(health: &Health) -> (Option<Trouble>, Option<Trouble>) {
    let problem = health
        .problems
        .first()
        .map(|problem| Trouble { code: problem.code.to_string(), text: problem.message.clone() });
    if health.partitions > 0 {
        return (None, problem);
    }
    let joining = || {
        let text = "it has not joined its consumer group yet".to_owned();
        (!health.joined).then(|| Trouble { code: "joining".to_owned(), text })
    };
    (problem.or_else(joining), None)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dipmo_domain::Code;
    use dipmo_kafka::Problem;

    use super::*;

    fn codes(health: &Health) -> [Option<String>; 2] {
        let (trouble, note) = judged(health);
        [trouble, note].map(|it| it.map(|it| it.code))
    }

    #[test]
    fn a_leg_is_ready_once_it_has_joined_also_without_a_partition() {
        let mut health = Health::default();
        assert_eq!(codes(&health), [Some("joining".to_owned()), None]);
        health.joined = true;
        assert_eq!(codes(&health), [None, None]);
    }

    #[test]
    fn a_problem_counts_as_long_as_nothing_is_read() {
        let code = Code::new("kafka-unreachable");
        let message = "nobody answers".to_owned();
        let problems = vec![Problem { code, message, lasting: Duration::ZERO }];
        let mut health = Health { problems, joined: true, ..Health::default() };
        let problem = Some("kafka-unreachable".to_owned());
        assert_eq!(codes(&health), [problem.clone(), None]);
        health.partitions = 1;
        assert_eq!(codes(&health), [None, problem]);
    }
}
