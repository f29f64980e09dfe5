//! `GET /events`: what waits and which operations run, again and again, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use dipmo_domain::StoreError;
use dipmo_store::admin::{Operable, OperationState, Page};
use futures_util::{Stream, stream};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use super::backlog::BacklogView;
use super::lists::Nothing;
use super::operations::OperationView;
use super::throughput::{INSTANCES, Throughput};
use crate::app::Shared;
use crate::gate::Gate;
use crate::params::Asked;
use crate::problem::Problem;
use crate::watch::Watcher;

/// Of so many operations those are told that have not ended.
const OPERATIONS: u32 = 100;
/// So long one look may take; then those who watch are told that nothing can be seen.
const LOOK_WITHIN: Duration = Duration::from_secs(10);

/// Ends with the server, and ends all who watch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending(pub(crate) CancellationToken);

/// What those who watch are told.
#[derive(Serialize, ToSchema)]
pub(crate) struct News {
    backlog: BacklogView,
    /// How much is done a second.
    throughput: Throughput,
    /// Those that have not ended.
    operations: Vec<OperationView>,
}

/// An event of the stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the document is made of it")]
pub(crate) struct Event {
    /// `news`, or `problem` while the database does not answer.
    event: EventName,
    /// JSON: what is new as `News` tells it, or a `Problem`.
    #[schema(content_media_type = "application/json")]
    data: String,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "only the document is made of it")]
pub(crate) enum EventName {
    News,
    Problem,
}

/// What is to be told now: an event `news`, or an event `problem` when the database does not answer in
/// time.
pub(crate) async fn news(store: &dyn Operable, gate: &Gate) -> Arc<str> {
    let seen = async {
        let _turn = gate.turn().await?;
        look(store).await.map_err(Problem::from)
    };
    in_time(seen).await
}

/// The event of a look that may take too long.
async fn in_time(seen: impl Future<Output = Result<News, Problem>>) -> Arc<str> {
    let seen = timeout(LOOK_WITHIN, seen).await.unwrap_or_else(|_| Err(Problem::too_slow()));
    let (name, data) = match seen {
        Ok(news) => ("news", serde_json::to_string(&news).unwrap_or_default()),
        Err(problem) => ("problem", problem.document()),
    };
    format!("event: {name}\ndata: {data}\n\n").into()
}

async fn look(store: &dyn Operable) -> Result<News, StoreError> {
    let backlog = store.backlog().await?;
    let throughput = Throughput::of(backlog.at, &store.fleet(INSTANCES).await?);
    let backlog = BacklogView::of(&backlog, &store.controls().await?);
    let listing = store.operations(Page::first(OPERATIONS)).await?;
    let goes_on = |state| matches!(state, OperationState::Running | OperationState::Paused);
    let operations = listing.rows.iter().filter(|operation| goes_on(operation.state));
    let operations = operations.map(OperationView::of).collect();
    Ok(News { backlog, throughput, operations })
}

/// Server-sent events: every two seconds an event `news`, with the backlog, the throughput and the operations that have not
/// ended.
/// It ends after five minutes; whoever wants to go on comes again.
#[utoipa::path(
    get,
    path = "/events",
    tag = "failures",
    responses((status = 200, body = Event, content_type = "text/event-stream"))
)]
pub(crate) async fn watch_events(
    State(shared): State<Arc<Shared>>,
    ending: Option<Extension<Ending>>,
    _: Asked<Nothing>,
) -> Result<Response, Problem> {
    let watcher = shared.watch.join()?;
    let until = Instant::now() + shared.limits.watch_for;
    let ending = ending.map(|Extension(ending)| ending).unwrap_or_default();
    let body = Body::from_stream(told(watcher, until, ending));
    let kind = HeaderValue::from_static("text/event-stream");
    Ok(([(CONTENT_TYPE, kind)], body).into_response())
}

/// What a watcher is told, until it is over.
fn told(
    watcher: Watcher,
    until: Instant,
    ending: Ending,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold((watcher, ending), move |(mut watcher, ending)| async move {
        loop {
            tokio::select! {
                () = sleep_until(until) => return None,
                () = ending.0.cancelled() => return None,
                changed = watcher.news.changed() => changed.ok()?,
            }
            let news = watcher.news.borrow_and_update().clone();
            if let Some(news) = news {
                return Some((Ok(Bytes::from(news.as_bytes().to_vec())), (watcher, ending)));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_look_that_takes_too_long_is_told_as_a_problem() {
        let told = in_time(std::future::pending()).await;
        assert!(told.starts_with("event: problem\ndata: {"), "{told}");
        assert!(told.contains("admin-too-slow"), "{told}");
    }
}
