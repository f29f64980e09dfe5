//! What has ended and fits a filter, for acts on it: found page by page, because nothing keeps it apart.

use dipmo_domain::{OutboxStatus, StoreError};

use super::browse::Browse;
use super::filter::UnitFilter;
use super::page::{MOST_ON_A_PAGE, Page};

/// So many pages are looked through; a filter that has more is too wide.
pub const MOST_ENDED_PAGES: u32 = 100;

/// A way through history, page by page, that ends.
pub(super) struct Walk {
    /// The page to be read.
    pub(super) page: Page,
    read: u32,
}

/// What follows a page.
pub(super) enum Step {
    /// Another page.
    On,
    /// Nothing: all was read.
    End,
    /// There is more than is looked through.
    TooWide,
}

impl Default for Walk {
    fn default() -> Self {
        Self { page: Page::first(MOST_ON_A_PAGE), read: 0 }
    }
}

impl Walk {
    /// Goes on behind a page that was read.
    pub(super) const fn step(&mut self, next: Option<i64>) -> Step {
        self.read += 1;
        self.page.before = next;
        match next {
            None => Step::End,
            Some(_) if self.read < MOST_ENDED_PAGES => Step::On,
            Some(_) => Step::TooWide,
        }
    }
}

/// The units that were delivered or given up and that a filter finds, by their ids; not those that are a second
/// delivery themselves, so that asking twice does not send twice as many. `None` when the filter is too wide to
/// be looked through.
///
/// # Errors
/// When the database does not answer.
pub async fn ended_units<B: Browse + ?Sized>(
    store: &B,
    filter: &UnitFilter,
) -> Result<Option<Vec<i64>>, StoreError> {
    let has_ended = [OutboxStatus::Dispatched, OutboxStatus::Failed];
    let asked = |status: &OutboxStatus| filter.status.is_empty() || filter.status.contains(status);
    let status: Vec<OutboxStatus> = has_ended.into_iter().filter(asked).collect();
    if status.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let filter = UnitFilter { status, ..filter.clone() };
    let (mut ids, mut walk) = (Vec::new(), Walk::default());
    loop {
        let listing = store.units(&filter, walk.page).await?;
        let wanted = listing.rows.iter().filter(|unit| {
            let has_ended = unit.status == OutboxStatus::Dispatched || unit.skipped;
            has_ended && unit.resend_of.is_none()
        });
        ids.extend(wanted.map(|unit| unit.id.0));
        match walk.step(listing.next) {
            Step::On => {}
            Step::End => return Ok(Some(ids)),
            Step::TooWide => return Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;
    use std::pin::pin;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Context, Poll, Waker};

    use async_trait::async_trait;
    use dipmo_domain::{InboxId, OutboxId};
    use dipmo_inbox::InboxRow;
    use dipmo_outbox::OutboxRow;

    use super::*;
    use crate::admin::{
        InstanceFilter, InstancePage, LaneLine, Listing, MessageFilter, MessageLine, UnitLine,
    };

    /// A history without units and without an end; counts its pages.
    struct Endless(AtomicU32);

    fn nobody_asks<T>() -> Result<T, StoreError> {
        Err(StoreError::Unexpected { statement: "none", problem: "nobody asks".to_owned() })
    }

    #[async_trait]
    impl Browse for Endless {
        async fn messages(
            &self,
            _: &MessageFilter,
            _: Page,
        ) -> Result<Listing<MessageLine>, StoreError> {
            nobody_asks()
        }

        async fn message(&self, _: InboxId) -> Result<Option<InboxRow>, StoreError> {
            nobody_asks()
        }

        async fn units(&self, _: &UnitFilter, page: Page) -> Result<Listing<UnitLine>, StoreError> {
            let pages = self.0.fetch_add(1, Ordering::Relaxed);
            assert_eq!(page.before.is_none(), pages == 0, "each page follows another");
            Ok(Listing { rows: Vec::new(), next: Some(1), searched_to: None })
        }

        async fn intent(&self, _: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
            nobody_asks()
        }

        async fn caused_by(&self, _: &[InboxId], _: u32) -> Result<Vec<OutboxRow>, StoreError> {
            nobody_asks()
        }

        async fn instances(
            &self,
            _: &str,
            _: &InstanceFilter,
            _: Option<&str>,
            _: u32,
        ) -> Result<InstancePage, StoreError> {
            nobody_asks()
        }

        async fn lanes(&self) -> Result<Vec<LaneLine>, StoreError> {
            nobody_asks()
        }
    }

    #[test]
    fn history_is_looked_through_so_far_and_no_further() {
        let store = Endless(AtomicU32::new(0));
        let filter = UnitFilter::default();
        let looked =
            pin!(ended_units(&store, &filter)).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(looked, Poll::Ready(Ok(None)));
        assert_eq!(store.0.into_inner(), MOST_ENDED_PAGES);
    }
}
