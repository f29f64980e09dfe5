//! So many ask the database at once, and the others wait a little.
//!
//! The pool that lists are read with has four connections, and who processes messages needs one of them now and
//! then. **Invariant:** whoever asks the database for operators has a turn; nobody has one while an answer streams.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::problem::Problem;

/// So many at once.
const AT_ONCE: usize = 3;
/// So long somebody waits for a turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where turns are given.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Gate {
    /// A turn, until it is dropped.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, Problem> {
        match timeout(PATIENCE, self.0.acquire()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(Problem::busy()),
        }
    }
}

/// Gives a request its turn, until the head of the answer is made.
pub(crate) async fn in_turn(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    match gate.turn().await {
        Ok(_turn) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use futures_util::stream;
    use hyper::StatusCode;
    use hyper::header::RETRY_AFTER;
    use tower::ServiceExt as _;

    use super::*;

    fn asked() -> Request {
        Request::new(Body::empty())
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_gets_no_turn_is_told_when_to_come_back() {
        let gate = Gate::default();
        let answer = get(async || "done");
        let router =
            Router::new().route("/", answer).layer(from_fn_with_state(gate.clone(), in_turn));
        let mut turns = Vec::new();
        for _ in 0..AT_ONCE {
            turns.push(gate.turn().await.unwrap());
        }
        let refused = router.clone().oneshot(asked()).await.unwrap();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.headers().contains_key(RETRY_AFTER));
        turns.pop();
        let answered = router.oneshot(asked()).await.unwrap();
        assert_eq!(answered.status(), StatusCode::OK);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_streams_has_no_turn() {
        let gate = Gate::default();
        let endless = || stream::pending::<Result<Vec<u8>, std::io::Error>>();
        let answer = get(async move || Body::from_stream(endless()));
        let router =
            Router::new().route("/", answer).layer(from_fn_with_state(gate.clone(), in_turn));
        let mut streams = Vec::new();
        for _ in 0..AT_ONCE {
            streams.push(router.clone().oneshot(asked()).await.unwrap());
        }
        assert!(gate.turn().await.is_ok());
    }
}
