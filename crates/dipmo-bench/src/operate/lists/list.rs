//! A list of either side, read page by page and compared with the past.

use std::iter::Peekable;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use dipmo_store::admin::{Operable, Page};

use super::messages::{self, MessageKind};
use super::units::{self, UnitKind};
use crate::operate::past::Past;

/// Rows of a page.
const ROWS: u32 = 50;

/// How far somebody leafs.
const PAGES: usize = 10;

/// A list that people ask for.
pub(super) enum List {
    Messages(MessageKind),
    Units(UnitKind),
}

/// A page that was read: the ids on it, and where the next one begins.
struct Leaf {
    ids: Vec<i64>,
    next: Option<i64>,
    took: Duration,
}

impl Leaf {
    /// Whether it has what must come next, in that order, and nothing is left out before the next page begins.
    fn compare(&self, expected: &mut Peekable<impl Iterator<Item = i64>>) -> Result<()> {
        for id in &self.ids {
            let wanted = expected.next();
            ensure!(wanted == Some(*id), "{id} came, not {wanted:?}");
        }
        let left = expected.peek().copied();
        let is_later = left.is_none_or(|left| self.next.is_some_and(|next| left < next));
        ensure!(is_later, "{left:?} is missing before {:?}", self.next);
        Ok(())
    }
}

impl List {
    /// All lists.
    pub(super) fn all(past: &Past) -> Result<Vec<Self>> {
        let messages = messages::kinds(past).into_iter().map(Self::Messages);
        let units = units::kinds(past)?.into_iter().map(Self::Units);
        Ok(messages.chain(units).collect())
    }

    pub(super) const fn metric(&self) -> &'static str {
        match self {
            Self::Messages(kind) => kind.metric,
            Self::Units(kind) => kind.metric,
        }
    }

    /// Reads the first ten pages, or as many as there are, and compares them with the past. Answers where the first,
    /// the second and the last of them begin.
    pub(super) async fn walk(&self, store: &dyn Operable, past: &Past) -> Result<Vec<Page>> {
        let mut expected = self.expected(past).peekable();
        let mut begins = vec![Page::first(ROWS)];
        while let Some(page) = begins.last().copied() {
            let leaf = self.read(store, past, page).await?;
            leaf.compare(&mut expected).context(self.metric())?;
            match leaf.next {
                Some(next) if begins.len() < PAGES => {
                    begins.push(Page { limit: ROWS, before: Some(next) });
                }
                _ => break,
            }
        }
        let last = begins.len() - 1;
        let mut measured = vec![begins[0], begins[last.min(1)], begins[last]];
        measured.dedup();
        Ok(measured)
    }

    /// How long a page takes.
    pub(super) async fn time(
        &self,
        store: &dyn Operable,
        past: &Past,
        page: Page,
    ) -> Result<Duration> {
        Ok(self.read(store, past, page).await?.took)
    }

    /// Reads a page; each line of it must say what was filled.
    async fn read(&self, store: &dyn Operable, past: &Past, page: Page) -> Result<Leaf> {
        let asked = Instant::now();
        match self {
            Self::Messages(kind) => {
                let found = store.messages(&kind.filter, page).await.context(kind.metric)?;
                let took = asked.elapsed();
                let wrong = found.rows.iter().find(|line| !messages::is_right(past, line));
                ensure!(wrong.is_none(), "{}: {wrong:?} is not what was filled", kind.metric);
                let ids = found.rows.iter().map(|line| line.id.0).collect();
                Ok(Leaf { ids, next: found.next, took })
            }
            Self::Units(kind) => {
                let found = store.units(&kind.filter, page).await.context(kind.metric)?;
                let took = asked.elapsed();
                let wrong = found.rows.iter().find(|line| !units::is_right(past, line));
                ensure!(wrong.is_none(), "{}: {wrong:?} is not what was filled", kind.metric);
                let ids = found.rows.iter().map(|line| line.id.0).collect();
                Ok(Leaf { ids, next: found.next, took })
            }
        }
    }

    /// The ids that must come, the newest first.
    fn expected<'a>(&'a self, past: &'a Past) -> Box<dyn Iterator<Item = i64> + Send + 'a> {
        match self {
            Self::Messages(kind) => {
                let numbers = (0..past.count()).rev();
                let wanted = numbers.filter(|number| (kind.has)(past, *number));
                Box::new(wanted.map(|number| Past::id(number).0))
            }
            Self::Units(kind) => {
                let wanted = past.units_newest_first().filter(|unit| (kind.has)(past, *unit));
                Box::new(wanted.map(|unit| Past::unit_id(unit).0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(ids: &[i64], next: Option<i64>, expected: &[i64]) -> bool {
        let leaf = Leaf { ids: ids.to_vec(), next, took: Duration::ZERO };
        leaf.compare(&mut expected.iter().copied().peekable()).is_ok()
    }

    #[test]
    fn a_page_may_be_short_but_leaves_nothing_out() {
        assert!(compared(&[9, 7], Some(7), &[9, 7, 5]));
        assert!(compared(&[9], Some(6), &[9, 5]), "it looked no further than 6");
        assert!(compared(&[], Some(6), &[]), "it looked no further than 6, and nothing comes");
        assert!(compared(&[9, 5], None, &[9, 5]));
        assert!(!compared(&[9], Some(6), &[9, 7, 5]), "7 is missing");
        assert!(!compared(&[9], None, &[9, 5]), "5 is missing");
        assert!(!compared(&[7, 9], Some(7), &[9, 7, 5]), "the older one came first");
        assert!(!compared(&[9, 8], Some(8), &[9, 7]), "8 is not of this list");
    }
}
