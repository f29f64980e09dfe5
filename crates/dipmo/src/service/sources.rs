//! What the health of a source says about the health of the instance.

use std::sync::Arc;
use std::time::Duration;

use dipmo_processing::health::{Part, Trouble};
use dipmo_source_kafka::{Health, KafkaSource};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often to look.
const LOOK: Duration = Duration::from_millis(500);

/// Notes how a source is until it is stopped.
pub async fn watch_source(source: Arc<KafkaSource>, part: Part, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let joined = source.metrics().snapshot().rebalances > 0;
        let (trouble, note) = judged(&source.health(), joined);
        part.trouble(trouble);
        part.note(note);
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = sleep(LOOK) => {}
        }
    }
}

/// Why it reads nothing, or what is wrong although it reads.
///
/// A member of the group without a partition is as it should be: others have them all, and it takes
/// over when they go.
fn judged(health: &Health, joined: bool) -> (Option<Trouble>, Option<Trouble>) {
    let problem = health
        .problems
        .first()
        .map(|problem| Trouble { code: problem.code.to_string(), text: problem.message.clone() });
    if health.partitions > 0 {
        return (None, problem);
    }
    let joining = || Trouble {
        code: "joining".to_owned(),
        text: "it has not joined its consumer group yet".to_owned(),
    };
    (problem.or_else(|| (!joined).then(joining)), None)
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Code;
    use dipmo_source_kafka::Problem;

    use super::*;

    fn health(partitions: usize, is_ill: bool) -> Health {
        let problem = Problem {
            code: Code::new("kafka-unreachable"),
            message: "nobody answers".to_owned(),
            lasting: Duration::ZERO,
        };
        let problems = is_ill.then_some(problem).into_iter().collect();
        Health { problems, partitions, ..Health::default() }
    }

    fn codes(health: &Health, joined: bool) -> [Option<String>; 2] {
        let (trouble, note) = judged(health, joined);
        [trouble, note].map(|it| it.map(|it| it.code))
    }

    #[test]
    fn a_source_is_not_ready_before_it_has_joined() {
        assert_eq!(codes(&health(0, false), false), [Some("joining".to_owned()), None]);
    }

    #[test]
    fn a_member_without_a_partition_is_ready() {
        assert_eq!(codes(&health(0, false), true), [None, None]);
        assert_eq!(codes(&health(3, false), true), [None, None]);
    }

    #[test]
    fn a_problem_counts_as_long_as_nothing_is_read() {
        let problem = Some("kafka-unreachable".to_owned());
        assert_eq!(codes(&health(0, true), true), [problem.clone(), None]);
        assert_eq!(codes(&health(3, true), true), [None, problem]);
    }
}
