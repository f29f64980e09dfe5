//! Pauses for an allowance, and how they end.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use tokio::time::sleep;

use super::*;
use crate::resilience::{Family, How, ProbeFailed, Quota, QuotaSource, Target};

/// An org that says what it is told to say.
#[derive(Default)]
struct Told {
    usage: Mutex<Option<Quota>>,
    answers: Mutex<VecDeque<Result<Quota, ProbeFailed>>>,
    asked: Mutex<Vec<(Family, Instant)>>,
}

impl Told {
    fn used(&self, used: u64) {
        *self.usage.lock().unwrap() = Some(left(100 - used));
    }

    fn answers(&self, answers: impl IntoIterator<Item = Result<Quota, ProbeFailed>>) {
        self.answers.lock().unwrap().extend(answers);
    }

    /// When it was asked, in seconds.
    fn asked(&self, world: &World) -> Vec<u64> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|(_, at)| at.duration_since(world.start).as_secs()).collect()
    }
}

#[async_trait]
impl QuotaSource for Told {
    fn usage(&self) -> Option<Quota> {
        *self.usage.lock().unwrap()
    }

    async fn probe(&self, family: Family) -> Result<Quota, ProbeFailed> {
        self.asked.lock().unwrap().push((family, Instant::now()));
        self.answers.lock().unwrap().pop_front().unwrap_or(Ok(left(0)))
    }
}

fn left(remaining: u64) -> Quota {
    Quota { max: 100, remaining }
}

fn no_answer(how: How) -> Result<Quota, ProbeFailed> {
    Err(ProbeFailed { how, why: failure("UNAVAILABLE") })
}

fn world() -> (World, Arc<Told>) {
    let (world, told) = (World::new(|_| {}), Arc::new(Told::default()));
    let source = Arc::clone(&told) as Arc<dyn QuotaSource>;
    world.gates.org("emea", None, source).unwrap();
    (world, told)
}

/// Lets time pass, and whoever waits for it act at its time.
async fn pass(seconds: u64) {
    sleep(secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn the_reserve_is_left_to_others_and_work_goes_on_by_itself() {
    let (world, told) = world();
    let gate = world.contacts();
    told.used(79);
    gate.enter().await.unwrap().ended(How::Ok);
    assert_eq!(gate.readiness(), Readiness::Ready);
    let call = gate.enter().await.unwrap();
    told.used(80);
    call.ended(How::Ok);
    assert_eq!(later("salesforce-quota-reserved", &gate), secs(60));
    assert_eq!(code(world.accounts().enter().await), "salesforce-quota-reserved");
    assert_eq!(
        code(world.gates.bulk_gate("emea", "Lead").enter().await),
        "salesforce-quota-reserved"
    );
    assert!(at_once(&world.gates.gate("apac", "Contact")).unwrap().is_ok(), "another org goes on");

    // No; not quite: it would pause again at once; yes.
    told.answers([Ok(left(0)), Ok(left(21)), Ok(left(22))]);
    pass(500).await;
    assert_eq!(told.asked(&world), [60, 180, 420], "less and less often");
    assert_eq!(gate.readiness(), Readiness::Ready, "what was heard before is no news");
    gate.enter().await.unwrap().ended(How::Ok);
    let figures = world.figures(&Target::org("emea"));
    assert_eq!(figures.paused, 1);
    assert_eq!(figures.held["salesforce-quota-reserved"], 2);
    told.used(81);
    assert_eq!(later("salesforce-quota-reserved", &gate), secs(60), "this is");
    assert_eq!(world.figures(&Target::org("emea")).quotas["api"], left(19));
}

#[tokio::test(start_paused = true)]
async fn an_exhausted_quota_pauses_its_org_until_the_probe_says_yes() {
    let (world, told) = world();
    let gate = world.contacts();
    gate.pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(5));
    gate.pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(5));
    assert_eq!(later("REQUEST_LIMIT_EXCEEDED", &world.accounts()), secs(5));
    told.answers([no_answer(How::Refused), no_answer(How::Failed), Ok(left(50))]);
    pass(100).await;
    assert_eq!(told.asked(&world), [5, 15, 35], "by one who asks, not by two");
    gate.enter().await.unwrap().ended(How::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_probe_waits_no_longer_than_the_longest_time() {
    let (world, told) = world();
    world.contacts().pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(600));
    pass(4_000).await;
    assert_eq!(told.asked(&world), [600, 1_500, 2_400, 3_300]);
}

#[tokio::test(start_paused = true)]
async fn the_allowance_of_jobs_holds_jobs_only() {
    let (world, told) = world();
    let (calls, jobs) = (world.contacts(), world.gates.bulk_gate("emea", "Contact"));
    jobs.pause(failure("ExceededQuota"), secs(60));
    calls.enter().await.unwrap().ended(How::Ok);
    assert_eq!(code(jobs.enter().await), "ExceededQuota");
    let view = world.gates.handle().view().orgs.remove(0);
    assert_eq!(view.whole.held, None);
    assert_eq!(view.jobs_held.unwrap().code, "ExceededQuota");
    told.answers([Ok(left(99))]);
    pass(61).await;
    jobs.enter().await.unwrap().ended(How::Ok);
    assert_eq!(told.asked.lock().unwrap()[0].0, Family::Bulk);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_meets_the_allowance_of_all_calls_pauses_all_calls() {
    let (world, _told) = world();
    let jobs = world.gates.bulk_gate("emea", "Contact");
    jobs.pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(60));
    assert_eq!(code(world.accounts().enter().await), "REQUEST_LIMIT_EXCEEDED");
}

#[tokio::test(start_paused = true)]
async fn no_probe_is_sent_while_the_breaker_is_open() {
    let (world, told) = world();
    let (handle, org) = (world.gates.handle(), Target::org("emea"));
    world.contacts().pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(60));
    handle.open_breaker(&org).unwrap();
    pass(1_000).await;
    assert!(told.asked(&world).is_empty());
    handle.close_breaker(&org).unwrap();
    told.answers([Ok(left(99))]);
    pass(61).await;
    assert_eq!(told.asked(&world).len(), 1);
    assert_eq!(world.contacts().readiness(), Readiness::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_person_ends_a_pause_and_nobody_asks_any_more() {
    let (world, told) = world();
    let gate = world.contacts();
    gate.pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(60));
    pass(10).await;
    world.gates.handle().resume(&Target::org("emea")).unwrap();
    gate.enter().await.unwrap().ended(How::Ok);
    pass(20).await;
    // Another pause is not ended by who waited for the first.
    gate.pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(60));
    pass(45).await;
    assert!(told.asked(&world).is_empty());
    pass(20).await;
    assert_eq!(told.asked(&world), [90]);
}

#[tokio::test(start_paused = true)]
async fn without_anybody_to_ask_a_pause_ends_after_its_time() {
    let world = World::new(|_| {});
    let gate = world.contacts();
    gate.pause(failure("REQUEST_LIMIT_EXCEEDED"), secs(60));
    assert_eq!(code(gate.enter().await), "REQUEST_LIMIT_EXCEEDED");
    pass(60).await;
    gate.enter().await.unwrap().ended(How::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_reserve_that_is_changed_counts_from_the_next_call_on() {
    let (world, told) = world();
    let (handle, gate) = (world.gates.handle(), world.contacts());
    told.used(90);
    let mut quota = ResilienceOptions::default().quota;
    quota.reserve = 0.05;
    handle.set_quota("emea", quota).unwrap();
    gate.enter().await.unwrap().ended(How::Ok);
    told.used(95);
    assert_eq!(later("salesforce-quota-reserved", &gate), secs(60));
}
