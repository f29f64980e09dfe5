//! Who answers a call, and whether a call with data is let in.

use std::sync::Arc;

use tokio::time::sleep;

use crate::data::request::Method;
use crate::oauth;
use crate::org::limits::concurrent_requests_exceeded;
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::body::RequestBody;
use crate::server::call::{Arrival, Call};
use crate::server::route::Route;
use crate::server::world::World;
use crate::server::{limits, run, versions};

/// Answers a call from the part of the simulator that it is meant for.
pub(crate) async fn answer(
    world: &Arc<World>,
    arrival: &Arrival,
    body: &mut RequestBody,
) -> Answer {
    let Arrival { head, rest, .. } = arrival;
    match arrival.route {
        Route::Data { version } => match admit(world, arrival, version) {
            Ok(call) => data(world, call, body).await,
            Err(refusal) => refusal.into(),
        },
        Route::Oauth => {
            let path: Vec<&str> = rest.iter().map(String::as_str).collect();
            oauth::answer(world, head, &path, body).await
        }
        Route::Versions => versions::all(),
        Route::NoVersion => Refusal::not_found().into(),
        Route::NoService => {
            let message = "Destination URL not reset. The URL returned from login must be set";
            Refusal::new("URL_NOT_RESET", message).with_status(404).into()
        }
        Route::Nowhere | Route::Inspect => Answer::html(404, "URL No Longer Exists"),
    }
}

/// Lets a call with data in: it has a session, a method, and the limits allow it.
fn admit(world: &World, arrival: &Arrival, version: u32) -> Result<Call, Refusal> {
    let head = &arrival.head;
    let now = world.clock.now();
    let token = head.token()?.ok_or_else(Refusal::session_expired)?;
    let session = world.sessions.touch(token, now).ok_or_else(Refusal::session_expired)?;
    let Some(method) = head.method else {
        let allowed = "HEAD,GET,POST,PUT,PATCH,DELETE";
        return Err(Refusal::method_not_allowed(&head.method_name, allowed));
    };
    if world.in_flight.long(world.schema.limits.long_after, head.id)
        >= world.schema.limits.concurrent_long
    {
        return Err(concurrent_requests_exceeded());
    }
    let mut org = world.org();
    world.check_epoch(head.epoch)?;
    org.limits.spend_request(now)?;
    let user = org.user(&session.username).ok_or_else(Refusal::session_expired)?;
    let user_id = org.id_text(user).to_string();
    Ok(Call {
        id: head.id,
        epoch: head.epoch,
        arrived: head.arrived,
        method,
        api: arrival.api,
        version,
        path: arrival.rest.clone(),
        query: head.query.clone(),
        headers: head.headers.clone(),
        user,
        identity: format!("{}/id/{}/{user_id}", head.base_url, org.organization_id()),
        user_id,
    })
}

/// Answers a call that was let in, after the time that it takes.
async fn data(world: &Arc<World>, call: Call, body: &mut RequestBody) -> Answer {
    let latency = world.latencies.draw(&world.schema, &world.clock, call.api);
    if !latency.is_zero() {
        sleep(latency).await;
    }
    if let Err(refusal) = world.check_epoch(call.epoch) {
        return refusal.into();
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
