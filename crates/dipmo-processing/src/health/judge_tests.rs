//! One test for each thing that must, or must not, follow.

use super::super::seen::{PartSeen, Progress, Trouble};
use super::*;

const LONG: Duration = Duration::from_secs(100_000);

/// An instance that works on an empty database.
fn well() -> Seen {
    let store = StoreSeen { answered: Some(Duration::ZERO), ..StoreSeen::default() };
    let part = PartSeen { tasks: 1, ..PartSeen::default() };
    let parts = ["process", "publish"].map(|name| (name.to_owned(), part.clone()));
    Seen { store, parts: parts.into(), counted: Some(Duration::ZERO), ..Seen::default() }
}

fn still(excuse: Option<Excuse>) -> QueueSeen {
    QueueSeen { name: "KAFKA:a".to_owned(), age: LONG, unmoved: LONG, idle: LONG, excuse }
}

fn trouble(code: &str) -> Trouble {
    Trouble { code: code.to_owned(), text: "as the test wanted".to_owned() }
}

/// Live, ready, and the names of all reasons.
fn judged(seen: &Seen) -> (bool, bool, Vec<&'static str>) {
    let verdict = judge(seen, &Limits::default());
    let names = verdict.reasons.iter().map(|reason| reason.name).collect();
    (verdict.is_live(), verdict.is_ready(), names)
}

#[test]
fn nothing_to_do_is_healthy_however_long() {
    assert_eq!(judged(&well()), (true, true, vec![]));
}

#[test]
fn old_work_that_nothing_moves_is_a_stall() {
    let seen = Seen { queues: vec![still(None)], ..well() };
    assert_eq!(judged(&seen), (false, false, vec!["stalled"]));
}

#[test]
fn each_of_young_moving_or_worked_on_is_no_stall() {
    let short = Duration::from_secs(1);
    let young = QueueSeen { age: short, ..still(None) };
    let moving = QueueSeen { unmoved: short, ..still(None) };
    let worked_on = QueueSeen { idle: short, ..still(None) };
    for queue in [young, moving, worked_on] {
        assert_eq!(judged(&Seen { queues: vec![queue], ..well() }), (true, true, vec![]));
    }
}

#[test]
fn a_destination_that_rests_for_a_reason_is_shown_and_no_stall() {
    let shown = |excuse| judged(&Seen { queues: vec![still(Some(excuse))], ..well() });
    assert_eq!(shown(Excuse::Closed(trouble("salesforce-stopped"))), (true, true, vec!["closed"]));
    assert_eq!(shown(Excuse::Unserved), (true, true, vec!["unserved"]));
    assert_eq!(shown(Excuse::Job), (true, true, vec![]));
}

#[test]
fn a_destination_that_takes_a_call_now_and_then_is_shown_all_the_same() {
    let limit = Limits::default().refused;
    let closed = |age| {
        let excuse = Some(Excuse::Closed(trouble("salesforce-breaker-open")));
        let queue =
            QueueSeen { age, unmoved: Duration::ZERO, idle: Duration::ZERO, ..still(excuse) };
        judged(&Seen { queues: vec![queue], ..well() })
    };
    assert_eq!(closed(limit), (true, true, vec![]));
    assert_eq!(closed(limit + Duration::from_secs(1)), (true, true, vec!["closed"]));
}

#[test]
fn an_old_count_is_held_against_nobody() {
    let seen = Seen { queues: vec![still(None)], counted: Some(LONG), ..well() };
    assert_eq!(judged(&seen), (true, true, vec!["blind"]));
}

#[test]
fn work_that_fails_aloud_makes_it_unready_and_not_dead() {
    let mut seen = Seen { queues: vec![still(None)], ..well() };
    seen.store.failed = Some(Duration::from_secs(3));
    assert_eq!(judged(&seen), (true, false, vec!["failing"]));
    seen.store.failed = Some(LONG);
    assert_eq!(judged(&seen), (false, false, vec!["stalled"]), "that was long ago");
}

#[test]
fn a_database_that_is_away_makes_it_unready_and_not_dead() {
    // What was counted before it went must not be held against anybody.
    let mut seen = Seen { queues: vec![still(None)], ..well() };
    seen.store.away = Some((Duration::from_secs(6), trouble("store-unreachable")));
    assert_eq!(judged(&seen), (true, false, vec!["store-away"]));
    let busy_once =
        StoreSeen { away: Some((Duration::from_secs(4), trouble("store-busy"))), ..well().store };
    assert_eq!(judged(&Seen { store: busy_once, ..well() }), (true, true, vec![]));
    let silent = StoreSeen { answered: Some(LONG), ..StoreSeen::default() };
    let queues = vec![still(None)];
    let seen = Seen { store: silent, queues, ..well() };
    assert_eq!(judged(&seen), (true, false, vec!["store-silent"]));
}

#[test]
fn it_is_not_ready_before_the_database_has_answered_and_its_schema_fits() {
    let never = Seen { store: StoreSeen::default(), ..well() };
    assert_eq!(judged(&never), (true, false, vec!["starting"]));
    let mut other = well();
    other.store.schema = Some(trouble("schema-newer"));
    assert_eq!(judged(&other), (true, false, vec!["schema"]));
}

#[test]
fn a_part_without_a_task_makes_it_dead_but_one_that_is_being_replaced_does_not() {
    let mut seen = well();
    let gone = |seconds| PartSeen {
        tasks: 0,
        gone: Some(Duration::from_secs(seconds)),
        ..PartSeen::default()
    };
    seen.parts.insert("process".to_owned(), gone(5));
    assert_eq!(judged(&seen), (true, true, vec![]));
    seen.parts.insert("process".to_owned(), gone(6));
    assert_eq!(judged(&seen), (false, false, vec!["no-task"]));
}

#[test]
fn a_source_that_cannot_read_makes_it_unready() {
    let mut seen = well();
    let trouble = Some(trouble("kafka-unreachable"));
    let source = PartSeen { tasks: 1, trouble, ..PartSeen::default() };
    seen.parts.insert("source".to_owned(), source);
    assert_eq!(judged(&seen), (true, false, vec!["not-working"]));
    let note = seen.parts["source"].trouble.clone();
    let source = PartSeen { tasks: 1, note, ..PartSeen::default() };
    seen.parts.insert("source".to_owned(), source);
    assert_eq!(judged(&seen), (true, true, vec!["ill"]), "some of it reads");
}

/// A source that gets on like this.
fn getting_on(progress: Progress) -> (bool, bool, Vec<&'static str>) {
    let mut seen = well();
    let source = PartSeen { tasks: 1, progress, ..PartSeen::default() };
    seen.parts.insert("source".to_owned(), source);
    judged(&seen)
}

#[test]
fn a_loop_that_hangs_makes_it_dead() {
    let limit = Limits::default().stall;
    let turned = |ago| getting_on(Progress { turned: Some(ago), ..Progress::default() });
    assert_eq!(turned(limit), (true, true, vec![]));
    assert_eq!(turned(limit + Duration::from_secs(1)), (false, false, vec!["stalled"]));
}

#[test]
fn what_waits_and_is_not_stored_makes_it_unready_and_not_dead() {
    let limit = Limits::default().stall;
    let undone = |time| getting_on(Progress { undone: Some(time), ..Progress::default() });
    assert_eq!(undone(limit), (true, true, vec![]));
    assert_eq!(undone(limit + Duration::from_secs(1)), (true, false, vec!["no-progress"]));
}

#[test]
fn a_pause_is_shown_however_long() {
    let paused = Some((trouble("pressure"), LONG));
    let progress = Progress { turned: Some(Duration::ZERO), undone: None, paused };
    assert_eq!(getting_on(progress), (true, true, vec!["paused"]));
}

#[test]
fn before_anything_runs_it_lives_and_says_what_it_waits_for() {
    let mut seen = Seen { starting: Some("a lock".to_owned()), ..Seen::default() };
    assert_eq!(judged(&seen), (true, false, vec!["starting"]));
    assert_eq!(judge(&seen, &Limits::default()).reasons[0].text, "a lock");
    seen.stopping = true;
    assert_eq!(judged(&seen), (true, false, vec!["stopping"]));
}

#[test]
fn a_job_that_does_not_end_shows() {
    let limit = Limits::default().job;
    let job = |age| Seen { jobs: [("HTTP:SFDC".to_owned(), age)].into(), ..well() };
    assert_eq!(judged(&job(limit)), (true, true, vec![]));
    assert_eq!(judged(&job(limit + Duration::from_secs(1))), (true, true, vec!["job-overdue"]));
}

#[test]
fn what_ends_while_it_stops_ends_as_it_should() {
    let mut seen = Seen { stopping: true, queues: vec![still(None)], ..well() };
    seen.parts.insert("process".to_owned(), PartSeen { gone: Some(LONG), ..PartSeen::default() });
    assert_eq!(judged(&seen), (true, false, vec!["stopping"]));
}

#[test]
fn who_needs_no_database_is_ready_without_one() {
    let store = StoreSeen { absent: true, ..StoreSeen::default() };
    let seen = Seen { store, ..Seen::default() };
    assert!(judge(&seen, &Limits::default()).is_ready());
    assert!(!judge(&Seen::default(), &Limits::default()).is_ready());
}
