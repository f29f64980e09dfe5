//! What the health of a source says about the health of the instance.

use std::sync::Arc;
use std::time::Duration;

use dipmo_processing::health::{Part, Progress, Trouble};
use dipmo_source_kafka::{Health, KafkaSource, Membership, Pause, PauseReason};
use tokio_util::sync::CancellationToken;

use super::watching::watch;

/// A rebalance may take so long: who has lost its place for longer does not get it back by waiting.
const REBALANCE: Duration = Duration::from_secs(30);

/// Notes how a source is until it is stopped.
pub async fn watch_source(source: Arc<KafkaSource>, part: Part, stop: CancellationToken) {
    watch(stop, || {
        let health = source.health();
        let (trouble, note) = judged(&health);
        part.trouble(trouble);
        part.note(note);
        part.progress(progress(&health));
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
    let outside = match health.membership {
        Membership::Never => Some("it has not joined its consumer group yet".to_owned()),
        Membership::Lost(time) if time > REBALANCE => {
            Some(format!("its consumer group has not had it for {} s", time.as_secs()))
        }
        Membership::Joined | Membership::Lost(_) => None,
    };
    let joining = || outside.map(|text| Trouble { code: "joining".to_owned(), text });
    (problem.or_else(joining), None)
}

/// How reading and storing get on.
fn progress(health: &Health) -> Progress {
    let held = health.held.as_ref().map_or("an operator paused it", |why| why.message());
    let paused = health.paused.map(|Pause { reason, lasting }| {
        let (code, text) = match reason {
            PauseReason::Pressure => ("pressure", "the inbox is too deep or too old"),
            PauseReason::Store => ("store", "the database does not take what was read"),
            PauseReason::Operator => ("source-paused", held),
        };
        (Trouble { code: code.to_owned(), text: text.to_owned() }, lasting)
    });
    Progress { turned: health.polled, undone: health.unstored, paused }
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

    fn codes(health: &Health) -> [Option<String>; 2] {
        let (trouble, note) = judged(health);
        [trouble, note].map(|it| it.map(|it| it.code))
    }

    fn joined(health: Health) -> Health {
        Health { membership: Membership::Joined, ..health }
    }

    #[test]
    fn a_source_is_not_ready_before_it_has_joined() {
        assert_eq!(codes(&health(0, false)), [Some("joining".to_owned()), None]);
    }

    #[test]
    fn a_member_without_a_partition_is_ready() {
        assert_eq!(codes(&joined(health(0, false))), [None, None]);
        assert_eq!(codes(&joined(health(3, false))), [None, None]);
    }

    #[test]
    fn a_member_that_lost_its_place_is_ready_for_as_long_as_a_rebalance_takes() {
        let lost = |time| Health { membership: Membership::Lost(time), ..health(0, false) };
        assert_eq!(codes(&lost(REBALANCE)), [None, None]);
        let late = codes(&lost(REBALANCE + Duration::from_secs(1)));
        assert_eq!(late, [Some("joining".to_owned()), None]);
    }

    #[test]
    fn a_problem_counts_as_long_as_nothing_is_read() {
        let problem = Some("kafka-unreachable".to_owned());
        assert_eq!(codes(&joined(health(0, true))), [problem.clone(), None]);
        assert_eq!(codes(&joined(health(3, true))), [None, problem]);
    }

    #[test]
    fn a_stall_and_a_pause_are_passed_on() {
        let [polled, unstored, lasting] = [1, 2, 3].map(Duration::from_secs);
        let paused = Some(Pause { reason: PauseReason::Pressure, lasting });
        let ill =
            Health { polled: Some(polled), unstored: Some(unstored), paused, ..health(1, false) };
        let Progress { turned, undone, paused } = progress(&ill);
        assert_eq!((turned, undone), (Some(polled), Some(unstored)));
        let (why, time) = paused.unwrap();
        assert_eq!((why.code.as_str(), time), ("pressure", lasting));
    }
}
