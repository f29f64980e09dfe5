//! One call's life: it arrives, meets its fault, is answered and logged.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use tokio::time::{Instant, sleep};

use crate::fault::apply::{self, Before, Spoil};
use crate::fault::rule::Fault;
use crate::inspect;
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::body::RequestBody;
use crate::server::call::Arrival;
use crate::server::dispatch;
use crate::server::log::{Entry, Traffic};
use crate::server::outgoing::Outgoing;
use crate::server::respond::{Manner, respond, takes_gzip};
use crate::server::route::Route;
use crate::server::world::World;

/// How much of a body that nobody wanted is read: more than the largest upload that is allowed.
const DRAINED: u64 = 200 * 1024 * 1024;

/// The connection ends without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the connection ends without an answer")]
pub(crate) struct Closed;

/// Answers a call. It goes on when the client goes away, as it does in Salesforce: a client that
/// stops waiting does not know whether its call was applied.
pub(crate) async fn handle(
    world: Arc<World>,
    request: Request<Incoming>,
) -> Result<Response<Outgoing>, Closed> {
    let task = world.spawn(live(Arc::clone(&world), request));
    match task.await {
        Ok(Some(result)) => result,
        Ok(None) => Err(Closed),
        Err(_) => {
            world.calls.count_panic();
            let manner = Manner::plain(Traffic::default().sent);
            Ok(respond(Refusal::unknown_exception().into(), manner))
        }
    }
}

/// What becomes of a call.
enum Outcome {
    Answered(Answer),
    /// The connection ends after so long; so many rows were applied.
    Unanswered {
        hold: Duration,
        rows: u64,
    },
}

async fn live(world: Arc<World>, request: Request<Incoming>) -> Result<Response<Outgoing>, Closed> {
    let started = Instant::now();
    let (parts, incoming) = request.into_parts();
    let arrival = Arrival::new(&world, parts);
    let traffic = Traffic::default();
    let received = Arc::clone(&traffic.received);
    let mut body = RequestBody::new(incoming, &arrival.head.headers, received);
    let mut manner = Manner::plain(Arc::clone(&traffic.sent));
    manner.gzip = arrival.head.header("accept-encoding").is_some_and(takes_gzip);
    if arrival.route == Route::Inspect {
        let answer = inspect::answer(&world, &arrival.head, &arrival.rest, &mut body).await;
        return Ok(respond(answer, manner));
    }

    let is_data = matches!(arrival.route, Route::Data { .. });
    let _in_flight = is_data.then(|| world.in_flight.enter(arrival.head.id));
    let fault = world.faults.for_call(&arrival.target(&world));
    let outcome = outcome(&world, &arrival, fault.as_ref(), &mut body).await;
    let (status, rows) = match &outcome {
        Outcome::Answered(answer) => (answer.status, answer.rows),
        Outcome::Unanswered { rows, .. } => (0, *rows),
    };
    if is_data && !fault.as_ref().is_some_and(Fault::is_of_edge) {
        manner.usage = Some(world.usage());
    }
    manner.closes = !body.is_over();
    // Logged before it is held: whoever waits for an answer in vain can see that the call came.
    world.calls.add(
        arrival.head.epoch,
        Entry {
            id: arrival.head.id,
            at: arrival.head.arrived,
            api: arrival.api,
            method: arrival.head.method_name,
            path: arrival.head.target,
            status,
            traffic,
            rows,
            fault: fault.as_ref().map(Fault::kind),
            millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        },
    );
    match outcome {
        Outcome::Answered(answer) => {
            manner.spoil = fault.as_ref().and_then(apply::after);
            Ok(respond(answer, manner))
        }
        Outcome::Unanswered { hold, .. } => {
            sleep(hold).await;
            Err(Closed)
        }
    }
}

/// Applies the call, unless its fault is faster.
async fn outcome(
    world: &Arc<World>,
    arrival: &Arrival,
    fault: Option<&Fault>,
    body: &mut RequestBody,
) -> Outcome {
    let unanswered = |hold, rows| Outcome::Unanswered { hold, rows };
    match fault.map_or(Before::GoOn, |fault| apply::before(fault, arrival.api, world.clock.now())) {
        Before::GoOn => {}
        Before::Wait(delay) => sleep(delay).await,
        Before::Instead(answer) => {
            body.drain(DRAINED).await;
            return Outcome::Answered(answer);
        }
        Before::Silence(hold) => {
            body.drain(DRAINED).await;
            return unanswered(hold, 0);
        }
        Before::DropAfter(bytes) => {
            body.drain(bytes).await;
            return unanswered(Duration::ZERO, 0);
        }
        Before::RevokeToken => {
            if let Ok(Some(token)) = arrival.head.token() {
                world.sessions.revoke(token);
            }
        }
        Before::ExhaustLimit => world.org().limits.leave_requests(0),
    }
    let answer = dispatch::answer(world, arrival, body).await;
    body.drain(DRAINED).await;
    match fault.and_then(apply::after) {
        Some(Spoil::Silence(hold)) => unanswered(hold, answer.rows),
        // There is no body to break off in, or to cut.
        Some(Spoil::DropAfter(_) | Spoil::Truncate(_)) if answer.is_empty() => {
            unanswered(Duration::ZERO, answer.rows)
        }
        _ => Outcome::Answered(answer),
    }
}
