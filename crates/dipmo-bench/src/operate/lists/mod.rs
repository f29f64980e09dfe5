//! `operate.list_p99_ms`: every kind of list that people ask for, first page, second and tenth.

mod kind;
mod list;
mod messages;
mod units;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use dipmo_store::admin::Operable;

use super::past::Past;
use crate::report::{Row, percentile};
use list::List;

/// The most groups of failures that a page shows.
const GROUPS: u32 = 100;

/// Reads every list once, to check it and to warm up, and then measures so many rounds of all of them: the p99 of
/// all, and of each kind.
pub(super) async fn run(store: &dyn Operable, past: &Past, rounds: u32) -> Result<Vec<Row>> {
    let mut lists = Vec::new();
    for list in List::all(past)? {
        let pages = list.walk(store, past).await?;
        lists.push((list, pages, Vec::new()));
    }
    let mut groups = Vec::new();
    for round in 1..=rounds {
        eprintln!("lists: round {round} of {rounds}");
        for (list, pages, times) in &mut lists {
            for page in pages {
                times.push(list.time(store, past, *page).await?);
            }
        }
        let asked = Instant::now();
        store.failure_groups(GROUPS).await.context("groups of failures")?;
        groups.push(asked.elapsed());
    }
    let each = lists.into_iter().map(|(list, _, times)| (list.metric(), times));
    Ok(figures(each.chain([("operate.list.failure_groups_ms", groups)]).collect()))
}

fn figures(kinds: Vec<(&'static str, Vec<Duration>)>) -> Vec<Row> {
    let p99 = |metric, mut times: Vec<Duration>| {
        times.sort_unstable();
        Row::plain(metric, percentile(&times, 99), "ms")
    };
    let all = kinds.iter().flat_map(|(_, times)| times.iter().copied()).collect();
    let whole = p99("operate.list_p99_ms", all);
    [whole].into_iter().chain(kinds.into_iter().map(|(metric, times)| p99(metric, times))).collect()
}
