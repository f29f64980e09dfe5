//! Pages of a job: whole chunks, every unit once, also while earlier pages are settled.

use std::collections::HashMap;

use dipmo_domain::Lane;
use dipmo_outbox::{Attempt, Delivery, JobPage, UnitResult};
use dipmo_store::Store;

use crate::Fixture;
use crate::support::{
    JobHand, aggregate_in, aggregates, begin, dispatched, ids_of, intent, kafka, write_intents,
};

/// A job of two chunks in each of five lanes, whose ids are mixed, with two keys in each.
async fn a_job(store: &dyn Store) -> JobHand {
    let lanes: Vec<_> = Lane::all().take(5).collect();
    for chunk in 0..2 {
        let names = (0..12).map(|place| aggregate_in(lanes[place % 5], place / 5 % 2));
        let intents = names.map(|name| intent(&kafka("t"), &name, chunk));
        write_intents(store, intents.collect()).await;
    }
    let job = begin(store, &kafka("t"), "o").await;
    assert_eq!(job.job.units, 24);
    job
}

/// Every unit once, those of a key in order, no chunk in two pages.
fn check(pages: &[JobPage], expected: &[Delivery]) {
    let read: Vec<Delivery> = pages.iter().flat_map(|page| page.units.clone()).collect();
    let mut sorted = read.clone();
    sorted.sort_by_key(|delivery| delivery.unit);
    assert_eq!(sorted, expected, "each of them once");
    let mut last = HashMap::new();
    for unit in &read {
        let before = last.insert(unit.order_key.clone(), unit.unit);
        assert!(before < Some(unit.unit), "{} after {before:?}", unit.unit);
    }
    let mut seen = HashMap::new();
    for (place, page) in pages.iter().enumerate() {
        for unit in &page.units {
            if let Attempt::First(chunk) = unit.attempt {
                assert_eq!(*seen.entry(chunk).or_insert(place), place, "{chunk:?} is in two pages");
            }
        }
    }
}

/// Whatever the size of a page, it has whole chunks, and at least one.
pub async fn a_page_has_whole_chunks<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = a_job(&*store).await;
    let all = job.units(&*store).await;
    for (limit, most) in [(0, 10), (1, 10), (5, 5), (24, 1), (1_000, 1)] {
        let pages = job.pages(&*store, limit).await;
        check(&pages, &all);
        let full = pages.iter().filter(|page| !page.units.is_empty()).count();
        assert!(full <= most, "{full} pages of {limit}");
    }
    assert!(job.pages(&*store, 1).await.len() > 4, "a page of one is no page of all");
}

/// Who settles page by page, and lets some stay, meets no unit twice and misses none.
pub async fn marks_outlive_what_was_before_them<F: Fixture>() {
    for stays_each in [1, 2, 3, 100] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let job = a_job(&*store).await;
        let all = job.units(&*store).await;
        let stays = |unit: &Delivery| unit.unit.0 % stays_each == 0;
        let mut pages = Vec::new();
        let mut mark = None;
        loop {
            let page = job.page(&*store, mark, 3).await;
            let result = |unit: &Delivery| match stays(unit) {
                true => UnitResult::InJob(job.id()),
                false => dispatched(),
            };
            job.hand(page.units.clone()).settle(&*store, result).await.unwrap();
            mark = page.next;
            pages.push(page);
            if mark.is_none() {
                break;
            }
        }
        check(&pages, &all);
        let stayed: Vec<_> = all.into_iter().filter(stays).collect();
        let left = job.units(&*store).await;
        assert_eq!(ids_of(&left), ids_of(&stayed), "the second reading has those that stayed");
        check(&job.pages(&*store, 2).await, &left);
    }
}

/// A page that was read is read again behind the same mark, whatever became of those before.
pub async fn a_page_is_read_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = a_job(&*store).await;
    let pages = job.pages(&*store, 6).await;
    let second = job.page(&*store, pages[0].next, 6).await;
    assert_eq!(second, pages[1]);
    job.hand(pages[0].units.clone()).settle(&*store, |_| dispatched()).await.unwrap();
    assert_eq!(job.page(&*store, pages[0].next, 6).await, second);
    assert_eq!(job.page(&*store, None, 6).await, second, "now it is the first");
}

/// Later pages may be settled first: the earlier ones stay as they are.
pub async fn pages_are_settled_in_any_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = aggregates(6).iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    write_intents(&*store, intents).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let pages = job.pages(&*store, 2).await;
    let behind = pages[0].next;
    for page in pages[1..].iter().rev() {
        job.hand(page.units.clone()).settle(&*store, |_| dispatched()).await.unwrap();
    }
    assert_eq!(job.page(&*store, behind, 2).await, JobPage::default(), "nothing is behind it");
    assert_eq!(job.units(&*store).await, pages[0].units);
    job.deliver(&*store).await;
    assert_eq!(job.page(&*store, None, 2).await, JobPage::default(), "an ended job has none");
}

/// What is written meanwhile is on no page, and neither is another job's.
pub async fn a_page_is_of_one_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let of = |topic: &str, number| {
        aggregates(3).iter().map(|name| intent(&kafka(topic), name, number)).collect::<Vec<_>>()
    };
    let ids = write_intents(&*store, of("t", 1)).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let others = write_intents(&*store, of("u", 1)).await;
    let other = begin(&*store, &kafka("u"), "o").await;
    write_intents(&*store, [of("t", 2), of("u", 2)].concat()).await;
    assert_eq!(ids_of(&job.units(&*store).await), ids);
    assert_eq!(ids_of(&other.units(&*store).await), others);
    assert_ne!(job.id(), other.id());
}
