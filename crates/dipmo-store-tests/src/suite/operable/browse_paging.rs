//! Pages: no gaps, no doubles, and an end, also while something happens.

use dipmo_domain::InboxStatus;
use dipmo_store::admin::{Listing, MOST_ON_A_PAGE, MessageFilter, MessageLine, Page, UnitFilter};

use crate::OperableFixture;
use crate::support::{
    Script, alone, batch, event, failed, intent, kafka, record_keys, stored, through, write_intents,
};

fn ids(listing: &Listing<MessageLine>) -> Vec<i64> {
    listing.rows.iter().map(|line| line.id.0).collect()
}

/// Nothing is listed of nothing.
pub async fn an_empty_list_ends_at_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let messages = store.messages(&MessageFilter::default(), Page::first(10)).await;
    assert_eq!(messages, Ok(Listing { rows: vec![], next: None, searched_to: None }));
    let units = store.units(&UnitFilter::default(), Page::first(10)).await;
    assert_eq!(units, Ok(Listing { rows: vec![], next: None, searched_to: None }));
}

/// A page has as many rows as were asked for, at least one and at most [`MOST_ON_A_PAGE`].
pub async fn a_page_has_a_size<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let messages: Vec<_> = (0..i64::from(MOST_ON_A_PAGE) + 20).map(alone).collect();
    let mut stored = stored(&*store, &messages).await;
    stored.reverse();
    let all = MessageFilter::default();
    for (asked, rows) in [(0, 1), (1, 1), (7, 7), (MOST_ON_A_PAGE, 500), (u32::MAX, 500)] {
        let page = store.messages(&all, Page::first(asked)).await.unwrap();
        assert_eq!(page.rows.len(), rows, "{asked} were asked for");
        assert_eq!(page.next, page.rows.last().map(|line| line.id.0));
    }
    let lines = through(100, async |page| store.messages(&all, page).await).await;
    assert_eq!(lines.iter().map(|line| line.id).collect::<Vec<_>>(), stored);
}

/// A page says how far back it looked: to its last row, or further.
pub async fn a_page_tells_its_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for number in 0..4 {
        stored(&*store, &[alone(number)]).await;
        fixture.tick().await;
    }
    let first = store.messages(&MessageFilter::default(), Page::first(2)).await.unwrap();
    assert_eq!(first.searched_to, Some(first.rows[1].received_at));
    let rest = Page { limit: 2, before: first.next };
    let rest = store.messages(&MessageFilter::default(), rest).await.unwrap();
    assert_eq!(rest.rows.len(), 2);
    assert!(rest.rows[0].received_at < first.rows[1].received_at);
}

/// What comes while somebody turns the pages is newer than all of them.
pub async fn rows_come_in_between<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let messages: Vec<_> = (0..7).map(alone).collect();
    let mut expected = stored(&*store, &messages).await;
    expected.reverse();
    let (mut found, mut page, mut number) = (Vec::new(), Page::first(2), 100);
    loop {
        let listing = store.messages(&MessageFilter::default(), page).await.unwrap();
        found.extend(listing.rows.iter().map(|line| line.id));
        let Some(next) = listing.next else { break };
        stored(&*another, &[alone(number), alone(number + 1)]).await;
        (page.before, number) = (Some(next), number + 2);
    }
    assert_eq!(found, expected);
}

/// What changes its status while somebody turns the pages is there once or not at all, and hides nobody.
pub async fn rows_move_in_between<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let messages: Vec<_> = (0..9).map(alone).collect();
    let stored = stored(&*store, &messages).await;
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    let filter = MessageFilter { status: vec![InboxStatus::Failed], ..MessageFilter::default() };
    let first = store.messages(&filter, Page::first(3)).await.unwrap();
    // One that was shown, one that comes next, and the last of all.
    store.skip(&[stored[7], stored[5], stored[0]]).await.unwrap();
    let rest = async |page: Page| {
        let before = page.before.or(first.next);
        store.messages(&filter, Page { before, ..page }).await
    };
    let rest: Vec<_> = through(2, rest).await.iter().map(|line| line.id).collect();
    assert_eq!(ids(&first), [stored[8].0, stored[7].0, stored[6].0]);
    assert_eq!(rest, [stored[4], stored[3], stored[2], stored[1]]);
}

/// Records and intents share their pages, in the order of their ids.
pub async fn units_of_many_records<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let whole = |number| dipmo_outbox::NewIntent {
        records: record_keys(5),
        ..intent(&kafka("t"), "whole", number)
    };
    let intents =
        vec![intent(&kafka("t"), "one", 0), whole(1), intent(&kafka("t"), "one", 2), whole(3)];
    let intents = write_intents(&*store, intents).await;
    let mut expected = vec![intents[0], intents[2]];
    for intent in [intents[1], intents[3]] {
        expected.extend(store.records(intent).await.unwrap().iter().map(|record| record.id));
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    let of = |aggregate: &str| UnitFilter {
        aggregate: Some(aggregate.to_owned()),
        ..UnitFilter::default()
    };
    let of_intent = UnitFilter { intent: Some(intents[3]), ..UnitFilter::default() };
    for (filter, count) in
        [(UnitFilter::default(), 12), (of("whole"), 10), (of("one"), 2), (of_intent, 5)]
    {
        for limit in [1, 3, 4, 50] {
            let lines = through(limit, async |page| store.units(&filter, page).await).await;
            let is_meant = |unit| lines.iter().any(|line| line.id == unit);
            let ids: Vec<_> = lines.iter().map(|line| line.id).collect();
            let expected: Vec<_> =
                expected.iter().copied().filter(|unit| is_meant(*unit)).collect();
            assert_eq!((ids.len(), &ids), (count, &expected), "{filter:?} by {limit}");
        }
    }
    assert!(!expected.contains(&intents[1]), "an intent with records is no unit");
}

/// A page behind the last row is empty, and the end.
pub async fn behind_the_last_row<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    for before in [ids[0].0, 0, i64::MIN] {
        let page = Page { limit: 10, before: Some(before) };
        let listing = store.messages(&MessageFilter::default(), page).await.unwrap();
        assert_eq!((listing.rows.len(), listing.next), (0, None));
    }
    let page = Page { limit: 10, before: Some(i64::MAX) };
    assert_eq!(store.messages(&MessageFilter::default(), page).await.unwrap().rows.len(), 2);
}
