//! Lists, page by page.

use std::fmt::Debug;

use dipmo_domain::StoreError;
use dipmo_store::admin::{Listing, Page};

/// All rows of a list, in pages of so many. Each page begins where the one before it ended.
pub async fn through<T: Debug>(
    limit: u32,
    list: impl AsyncFn(Page) -> Result<Listing<T>, StoreError>,
) -> Vec<T> {
    let (mut rows, mut page) = (Vec::new(), Page::first(limit));
    loop {
        let Listing { rows: more, next, searched_to } = list(page).await.unwrap();
        assert!(more.len() <= usize::try_from(limit).unwrap(), "{more:?}");
        assert_eq!(next.is_some(), searched_to.is_some(), "what follows is told with its time");
        rows.extend(more);
        let Some(next) = next else { return rows };
        assert!(page.before.is_none_or(|before| next < before), "{next} does not lead on");
        page.before = Some(next);
    }
}
