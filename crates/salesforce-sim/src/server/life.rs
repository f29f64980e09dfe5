//! One call's life: log, faults, session, limits, latency, answer.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use tokio::time::{Instant, sleep};

use crate::data::request::Method;
use crate::fault::CallTarget;
use crate::fault::apply::{self, Before, Spoil};
use crate::fault::rule::Fault;
use crate::inspect;
use crate::oauth;
use crate::org::limits::concurrent_requests_exceeded;
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::api::{Api, object_of};
use crate::server::body::RequestBody;
use crate::server::call::{Call, Head};
use crate::server::log::{Entry, Traffic};
use crate::server::outgoing::Outgoing;
use crate::server::respond::{Manner, respond, takes_gzip};
use crate::server::route::Route;
use crate::server::world::World;
use crate::server::{limits, run, versions};

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
            Ok(respond(apply::unknown_exception().into(), manner))
        }
    }
}

/// What is known of a call from its head.
struct Arrival {
    head: Head,
    api: Api,
    traffic: Traffic,
    started: Instant,
    fault: Option<String>,
}

/// What the call is answered with, or that it is not.
enum Outcome {
    Answered(Answer),
    Silence(Duration),
}

async fn live(world: Arc<World>, request: Request<Incoming>) -> Result<Response<Outgoing>, Closed> {
    let (parts, incoming) = request.into_parts();
    let traffic = Traffic::default();
    let head = Head::new(world.calls.next_id(), world.clock.now(), &world.url, parts);
    let path = head.path.clone().unwrap_or_default();
    let (route, rest) = Route::of(&path);
    let api = route.api(head.method, rest);
    let mut manner = Manner::plain(Arc::clone(&traffic.sent));
    manner.gzip = head.header("accept-encoding").is_some_and(takes_gzip);
    let body = RequestBody::new(incoming, &head.headers, Arc::clone(&traffic.received));
    let mut body = match body {
        Ok(body) => body,
        Err(refusal) => return Ok(respond(refusal.into(), manner)),
    };
    if route == Route::Inspect {
        let answer = inspect::answer(&world, &head, rest, &mut body).await;
        return Ok(respond(answer, manner));
    }

    let method = head.method_name.as_str();
    let object = object_of(rest).or_else(|| object_of_job(&world, &head, rest));
    let target = CallTarget { api, method, path: &head.target, object };
    let fault = world.faults.for_call(&target);
    manner.spoil = fault.as_ref().and_then(apply::after);
    let mut arrival = Arrival { head, api, traffic, started: Instant::now(), fault: None };
    arrival.fault = fault.as_ref().map(Fault::kind);

    let before =
        fault.as_ref().map_or(Before::GoOn, |fault| apply::before(fault, world.clock.now()));
    let is_data = matches!(route, Route::Data { .. });
    let outcome = match begin(&world, &arrival.head, before).await {
        Some(outcome) => outcome,
        None => Outcome::Answered(answer(&world, &arrival, &route, rest, &mut body).await),
    };
    body.drain().await;
    let answer = match (outcome, manner.spoil) {
        (Outcome::Answered(answer), Some(Spoil::Silence(hold))) => {
            return silence(&world, arrival, answer.rows, hold).await;
        }
        (Outcome::Silence(hold), _) => return silence(&world, arrival, 0, hold).await,
        (Outcome::Answered(answer), _) => answer,
    };
    if is_data {
        manner.usage = Some(world.usage());
    }
    log(&world, arrival, answer.status, answer.rows);
    if manner.spoil.is_some_and(|spoil| matches!(spoil, Spoil::DropAfter(_))) && answer.is_empty() {
        return Err(Closed);
    }
    Ok(respond(answer, manner))
}

/// The object of the job that a path names.
fn object_of_job<'a>(world: &'a World, head: &Head, rest: &[String]) -> Option<&'a str> {
    let (first, id) = (rest.first()?, rest.get(2)?);
    let job = first.eq_ignore_ascii_case("jobs").then_some(id)?;
    Some(&world.schema[world.jobs.object_of(job, head.arrived)?].name)
}

/// What a fault does before the call is applied; `None`: it is applied.
async fn begin(world: &World, head: &Head, before: Before) -> Option<Outcome> {
    match before {
        Before::GoOn => {}
        Before::Instead(answer) => return Some(Outcome::Answered(answer)),
        Before::Silence(hold) => return Some(Outcome::Silence(hold)),
        Before::Wait(delay) => sleep(delay).await,
        Before::RevokeToken => {
            if let Ok(Some(token)) = head.token() {
                world.sessions.revoke(token);
            }
        }
        Before::ExhaustLimit => world.org().limits.leave_requests(0),
    }
    None
}

/// Logs the call first: whoever waits for an answer in vain can see that it came.
async fn silence(
    world: &World,
    arrival: Arrival,
    rows: u64,
    hold: Duration,
) -> Result<Response<Outgoing>, Closed> {
    log(world, arrival, 0, rows);
    sleep(hold).await;
    Err(Closed)
}

fn log(world: &World, arrival: Arrival, status: u16, rows: u64) {
    let Arrival { head, api, traffic, started, fault } = arrival;
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (method, path) = (head.method_name, head.target);
    world.calls.add(Entry {
        id: head.id,
        at: head.arrived,
        api,
        method,
        path,
        status,
        traffic,
        rows,
        fault,
        millis,
    });
}

async fn answer(
    world: &Arc<World>,
    arrival: &Arrival,
    route: &Route,
    rest: &[String],
    body: &mut RequestBody,
) -> Answer {
    let head = &arrival.head;
    if head.path.is_none() {
        return Refusal::not_found().into();
    }
    match route {
        Route::Data { version } => {
            let call = match admit(world, arrival, *version, rest) {
                Ok(call) => call,
                Err(refusal) => return refusal.into(),
            };
            data(world, call, body).await
        }
        Route::Oauth => {
            let path: Vec<&str> = rest.iter().map(String::as_str).collect();
            oauth::answer(world, head, &path, body).await
        }
        Route::Versions => versions::all(),
        Route::NoService if rest.get(1).is_some_and(|word| word.eq_ignore_ascii_case("data")) => {
            Refusal::not_found().into()
        }
        Route::NoService => {
            let message = "Destination URL not reset. The URL returned from login must be set";
            Refusal::new("URL_NOT_RESET", message).with_status(404).into()
        }
        Route::Nowhere | Route::Inspect => Answer::html(404, "URL No Longer Exists"),
    }
}

/// Lets a call with data in: it has a session, a method, and the limits allow it.
fn admit(world: &World, arrival: &Arrival, version: u32, rest: &[String]) -> Result<Call, Refusal> {
    let head = &arrival.head;
    let now = world.clock.now();
    let token = head.token()?.ok_or_else(apply::session_expired)?;
    let session = world.sessions.touch(token, now).ok_or_else(apply::session_expired)?;
    let Some(method) = head.method else {
        let allowed = "HEAD,GET,POST,PUT,PATCH,DELETE";
        return Err(Refusal::method_not_allowed(&head.method_name, allowed));
    };
    if world.in_flight.long(world.schema.limits.long_after) >= world.schema.limits.concurrent_long {
        return Err(concurrent_requests_exceeded());
    }
    let mut org = world.org();
    org.limits.spend_request(now)?;
    let user = org.user(&session.username).ok_or_else(apply::session_expired)?;
    let user_id = org.id_text(user).to_string();
    Ok(Call {
        id: head.id,
        arrived: head.arrived,
        method,
        api: arrival.api,
        version,
        path: rest.to_vec(),
        query: head.query.clone(),
        headers: head.headers.clone(),
        user,
        identity: format!("{}/id/{}/{user_id}", head.base_url, org.organization_id()),
        user_id,
    })
}

/// Answers a call that was let in, after the time that it takes.
async fn data(world: &Arc<World>, call: Call, body: &mut RequestBody) -> Answer {
    let _in_flight = world.in_flight.enter(call.id);
    let mut rng = world.clock.rng("latency", call.id);
    let latency = world.schema.latency.of(call.api.name()).sample(&mut rng);
    if !latency.is_zero() {
        sleep(latency).await;
    }
    let first = call.path.first().map(|word| word.to_ascii_lowercase());
    let reads = matches!(call.method, Method::Get | Method::Head);
    match (first.as_deref(), call.path.len()) {
        (None, _) if reads => versions::resources(&call),
        (Some("limits"), 1) if reads => limits::answer(world),
        (None, _) | (Some("limits"), 1) => {
            Refusal::method_not_allowed(call.method.name(), "HEAD,GET").into()
        }
        (Some("jobs"), _) => crate::bulk::answer(world, &call, body).await,
        (Some(_), _) => run::answer(world, &call, body).await,
    }
}
