//! `GET /reports/hot`: keys, aggregates and lanes that stand out.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::{AgeingLane, HotAggregate, HotKey};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Limit;
use super::operations::SideWord;
use crate::app::Shared;
use crate::body::Answer;
use crate::mask::Sight;
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;

/// What stands out.
#[derive(Serialize, ToSchema)]
#[schema(as = Hot)]
pub(crate) struct HotView {
    /// Keys of which the most waits aside, the worst first.
    keys: Vec<HotKeyView>,
    /// Lanes in which the most waits, the worst first.
    lanes: Vec<HotLaneView>,
    /// False when there is more than was counted: then the counts are at least so high.
    complete: bool,
    /// Aggregates of which the most has come of late.
    recent: Vec<HotAggregateView>,
    /// Among so many of the newest messages.
    among: u64,
}

/// A key of which something is held, parked or to be tried again.
#[derive(Serialize, ToSchema)]
#[schema(as = HotKey)]
pub(crate) struct HotKeyView {
    side: SideWord,
    /// Where it is to be delivered; null in the inbox.
    destination: Option<String>,
    /// The aggregate or the record. A key that Kafka had is masked as keys are.
    key: Option<String>,
    waiting: u64,
    oldest: Moment,
    /// The id of what the others wait for.
    head: Option<i64>,
}

/// A lane in which something waits.
#[derive(Serialize, ToSchema)]
#[schema(as = HotLane)]
pub(crate) struct HotLaneView {
    side: SideWord,
    /// Where it is to be delivered; null in the inbox.
    destination: Option<String>,
    lane: u8,
    waiting: u64,
    oldest: Moment,
}

/// An aggregate of which much has come.
#[derive(Serialize, ToSchema)]
#[schema(as = HotAggregate)]
pub(crate) struct HotAggregateView {
    aggregate: String,
    messages: u64,
    /// When the newest came.
    last: Moment,
}

fn named(queue: &str) -> Option<String> {
    (!queue.is_empty()).then(|| queue.to_owned())
}

impl HotKeyView {
    fn of(key: &HotKey, sight: Sight<'_>) -> Self {
        let shown =
            if key.is_aggregate { Some(key.key.clone()) } else { sight.key(Some(&key.key)) };
        Self {
            side: key.side.into(),
            destination: named(&key.queue),
            key: shown,
            waiting: key.waiting,
            oldest: Moment(key.oldest),
            head: key.head,
        }
    }
}

impl HotLaneView {
    fn of(lane: &AgeingLane) -> Self {
        Self {
            side: lane.side.into(),
            destination: named(&lane.queue),
            lane: lane.lane.index(),
            waiting: lane.waiting,
            oldest: Moment(lane.oldest),
        }
    }
}

impl HotAggregateView {
    fn of(hot: &HotAggregate) -> Self {
        let (aggregate, messages) = (hot.aggregate.clone(), hot.messages);
        Self { aggregate, messages, last: Moment(hot.last) }
    }
}

/// Keys and lanes in which the most waits, and aggregates of which the most has come of late.
#[utoipa::path(
    get,
    path = "/reports/hot",
    tag = "reports",
    params(Asked<Limit>),
    responses((status = 200, body = HotView))
)]
pub(crate) async fn report_hot(
    State(shared): State<Arc<Shared>>,
    Asked(limit): Asked<Limit>,
) -> Result<Answer<HotView>, Problem> {
    let hot = shared.store.hot(limit.0).await?;
    let ageing = shared.store.ageing().await?;
    let sight = Sight::Masked(&shared.shown);
    let most = usize::try_from(limit.0).unwrap_or(usize::MAX);
    Ok(Answer(HotView {
        keys: hot.keys.iter().map(|key| HotKeyView::of(key, sight)).collect(),
        lanes: ageing.lanes.iter().take(most).map(HotLaneView::of).collect(),
        complete: hot.complete && ageing.complete,
        recent: hot.recent.iter().map(HotAggregateView::of).collect(),
        among: hot.among,
    }))
}
