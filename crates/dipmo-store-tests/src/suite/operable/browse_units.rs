//! Lists of units, compared with the rows of the outbox and the records of its intents.

use std::time::Duration;

use dipmo_domain::{InboxId, OutboxId, OutboxStatus};
use dipmo_outbox::{OutboxRow, RecordRow, UnitResult};
use dipmo_store::admin::{MOST_ON_A_PAGE, Operable, Page, UnitFilter, UnitLine, Waits};

use crate::OperableFixture;
use crate::support::{
    JobHand, LONG, aggregates, begin, dispatched, event, every_unit, failure, intent, kafka,
    stored, take, through, write_intents,
};

/// Units in every way there are, in the order of [`every_unit`], and the message that caused some.
pub(super) async fn written(store: &dyn Operable) -> (Vec<OutboxId>, InboxId) {
    let cause = stored(store, &[event("cause", 1)]).await[0];
    (every_unit(store, cause).await, cause)
}

/// Compares what a filter finds, in pages of any size, with the units that fit; answers how many those are.
pub(super) async fn finds(
    store: &dyn Operable,
    filter: &UnitFilter,
    fits: impl Fn(&UnitLine) -> bool,
) -> usize {
    let units = shown(store).await;
    let expected: Vec<_> = units.iter().filter(|unit| fits(unit)).map(|unit| unit.id).collect();
    for limit in [1, 3, MOST_ON_A_PAGE] {
        let lines = through(limit, async |page| store.units(filter, page).await).await;
        let found: Vec<_> = lines.iter().map(|line| line.id).collect();
        assert_eq!(found, expected, "{filter:?} in pages of {limit}");
    }
    expected.len()
}

/// A filter that finds everything.
pub(super) fn all() -> UnitFilter {
    UnitFilter::default()
}

/// What the outbox shows of all units, the newest first: neither DISPATCHED_AT, nor jobs, nor, of intents, EXTERNAL_REF.
async fn shown(store: &dyn Operable) -> Vec<UnitLine> {
    let mut units = Vec::new();
    for row in store.outbox_rows(1_000).await.unwrap() {
        let records = store.records(row.id).await.unwrap();
        units.extend(records.iter().map(|record| line_of_record(&row, record)));
        units.extend(records.is_empty().then(|| line_of(&row)));
    }
    units.sort_unstable_by_key(|unit| std::cmp::Reverse(unit.id));
    units
}

fn line_of(row: &OutboxRow) -> UnitLine {
    let row = row.clone();
    UnitLine {
        id: row.id,
        intent: row.id,
        record: None,
        destination: row.destination,
        aggregate_type: row.aggregate_type,
        aggregate_id: row.aggregate_id,
        event_type: row.event_type,
        cause: row.cause,
        created_at: row.created_at,
        status: row.status,
        attempts: row.attempts,
        next_attempt_at: row.next_attempt_at,
        dispatched_at: None,
        external_ref: None,
        held_behind: row.held_behind,
        job: None,
        skipped: row.skipped,
        failure: row.failure,
        resend_of: row.resend_of,
    }
}

fn line_of_record(row: &OutboxRow, record: &RecordRow) -> UnitLine {
    let record = record.clone();
    UnitLine {
        id: record.id,
        record: Some(record.record),
        status: record.status,
        attempts: record.attempts,
        next_attempt_at: record.next_attempt_at,
        external_ref: record.external_ref,
        held_behind: record.held_behind,
        skipped: record.skipped,
        failure: record.failure,
        ..line_of(row)
    }
}

/// A list says of each unit what the outbox says, the newest first, and when and as what it was taken.
pub async fn lines_are_rows_of_the_outbox<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let (units, _) = written(&*store).await;
    let expected = shown(&*store).await;
    let found = store.units(&all(), Page::first(100)).await.unwrap();
    assert_eq!((found.next, found.searched_to), (None, None));
    let lines = found.rows.iter().map(|line| line.id);
    assert!(lines.rev().eq(units.iter().copied()), "each unit is there once");
    let now = store.now().await.unwrap();
    for (line, expected) in found.rows.iter().zip(expected) {
        let place = units.iter().position(|unit| *unit == line.id).unwrap();
        let taken = [0, 5, 6].contains(&place);
        assert_eq!(line.external_ref, taken.then(|| format!("EXT-{place}")), "{line:?}");
        assert_eq!(line.dispatched_at.is_some(), taken, "{line:?}");
        assert!(line.dispatched_at.is_none_or(|at| (line.created_at..=now).contains(&at)));
        let external_ref = line.external_ref.clone();
        let dispatched_at = line.dispatched_at;
        assert_eq!(line, &UnitLine { external_ref, dispatched_at, ..expected });
    }
}

/// Every status finds its own, wherever their rows are kept; several find all of theirs.
pub async fn by_status<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    written(&*store).await;
    let of = |status: &[OutboxStatus]| UnitFilter { status: status.to_vec(), ..all() };
    for first in OutboxStatus::ALL {
        assert!(finds(&*store, &of(&[*first]), |unit| unit.status == *first).await > 0, "{first}");
        for second in OutboxStatus::ALL {
            let both = [*first, *second];
            finds(&*store, &of(&both), |unit| both.contains(&unit.status)).await;
        }
    }
    assert_eq!(finds(&*store, &of(OutboxStatus::ALL), |_| true).await, 12);
}

/// What is ready and old is found behind what is newer and has ended.
pub async fn what_is_ready_behind_what_ended<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let intents = |topic: &str, count| -> Vec<_> {
        (0..count).map(|number| intent(&kafka(topic), "a", number)).collect()
    };
    let ready = write_intents(&*store, intents("slow", 1)).await;
    write_intents(&*store, intents("fast", 20)).await;
    let hand = take(&*store, &kafka("fast"), "o").await;
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    let filter = UnitFilter { status: vec![OutboxStatus::Pending], ..all() };
    assert_eq!(finds(&*store, &filter, |unit| unit.id == ready[0]).await, 1);
}

/// What is held waits for a head; no unit is parked.
pub async fn held<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let (units, _) = written(&*store).await;
    let filter = UnitFilter { waits: Some(Waits::Held), ..all() };
    assert_eq!(finds(&*store, &filter, |unit| unit.id == units[2]).await, 1);
    let parked = UnitFilter { waits: Some(Waits::Parked), ..all() };
    finds(&*store, &parked, |_| false).await;
}

/// Units that are in a job say so, those of a chunk and those with a row of their own.
pub async fn in_a_job<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let names = aggregates(3);
    let first = write_intents(&*store, vec![intent(&kafka("t"), &names[0], 0)]).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let again = UnitResult::Retry { after: Duration::ZERO, failure: failure("try-again") };
    hand.settle(&*store, |_| again.clone()).await.unwrap();
    hand.give_back(&*store).await;
    let rest: Vec<_> = names.iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    let rest = write_intents(&*store, rest).await;
    write_intents(&*store, vec![intent(&kafka("u"), &names[0], 0)]).await;
    let job: JobHand = begin(&*store, &kafka("t"), "o").await;
    let in_job: Vec<_> = job.units(&*store).await.iter().map(|unit| unit.unit).collect();
    assert!(in_job.contains(&first[0]) && in_job.contains(&rest[2]), "{in_job:?}");
    let later = write_intents(&*store, vec![intent(&kafka("t"), &names[0], 2)]).await;
    let jobs = async || -> Vec<_> {
        let lines = through(2, async |page| store.units(&all(), page).await).await;
        lines.iter().rev().filter(|line| line.job == Some(job.id())).map(|line| line.id).collect()
    };
    assert_eq!(jobs().await, in_job);
    assert!(!jobs().await.contains(&later[0]));
    let put_off = UnitResult::Retry { after: LONG, failure: failure("try-again") };
    job.settle(&*store, |unit| match unit.unit == rest[2] {
        true => UnitResult::InJob(job.id()),
        false => put_off.clone(),
    })
    .await;
    assert_eq!(jobs().await, [rest[2]], "the others left it");
}
