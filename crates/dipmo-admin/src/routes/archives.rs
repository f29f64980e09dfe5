//! `GET /archives`: history that was archived, lot by lot.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{Lot, LotId, Page, Wish};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::PageOf;
use super::operations::SideWord;
use crate::app::Shared;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// Settled history of one side and month that is archived together.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Archive)]
pub(crate) struct LotView {
    id: i64,
    side: SideWord,
    /// The month, as `YYYY-MM`.
    month: String,
    /// `FILLING`, `ASIDE`, `ARCHIVED` or `DROPPED`: its rows are in files only.
    state: &'static str,
    /// How many messages or intents.
    rows: Option<u64>,
    /// How many records of intents.
    records: Option<u64>,
    /// How many files.
    files: Option<u32>,
    /// How large they are together.
    bytes: Option<u64>,
    /// Where they are, below the directory of the archive.
    directory: Option<String>,
    aside_at: Moment,
    archived_at: Option<Moment>,
    dropped_at: Option<Moment>,
    /// `verify` or `restore`, while somebody waits for it.
    wish: Option<&'static str>,
    /// When its files were last compared with their checksums.
    checked_at: Option<Moment>,
    /// What was wrong with them then.
    problem: Option<String>,
    restored_at: Option<Moment>,
    /// Until when its rows stay that were restored.
    restored_until: Option<Moment>,
}

impl LotView {
    pub(crate) fn of(lot: &Lot) -> Self {
        let files = lot.files.as_ref();
        Self {
            id: lot.id.0,
            side: lot.side.into(),
            month: lot.month.to_string(),
            state: lot.state.as_str(),
            rows: files.map(|it| it.rows),
            records: files.map(|it| it.records),
            files: files.map(|it| it.files),
            bytes: files.map(|it| it.bytes),
            directory: files.map(|it| it.directory.clone()),
            aside_at: Moment(lot.aside_at),
            archived_at: lot.archived_at.map(Moment),
            dropped_at: lot.dropped_at.map(Moment),
            wish: lot.wish.map(Wish::as_str),
            checked_at: lot.checked_at.map(Moment),
            problem: lot.problem.clone(),
            restored_at: lot.restored_at.map(Moment),
            restored_until: lot.restored_until.map(Moment),
        }
    }
}

/// History that was archived or is on its way, the newest lot first.
#[utoipa::path(
    get,
    path = "/archives",
    tag = "archive",
    params(Asked<Page>),
    responses((status = 200, body = PageOf<LotView>))
)]
pub(crate) async fn list_archives(
    State(shared): State<Arc<Shared>>,
    Asked(page): Asked<Page>,
) -> Result<Answer<PageOf<LotView>>, Problem> {
    // One more than is shown tells whether something follows.
    let lots = shared.store.lots(page.before.map(LotId), page.limit.saturating_add(1)).await?;
    let mut rows: Vec<LotView> = lots.iter().map(LotView::of).collect();
    let follows = rows.len() > usize::try_from(page.limit).unwrap_or(usize::MAX);
    if follows {
        rows.pop();
    }
    let next = rows.last().filter(|_| follows).map(|row| row.id);
    let searched_to = rows.last().filter(|_| follows).map(|row| row.aside_at);
    Ok(Answer(PageOf { rows, next, searched_to }))
}
