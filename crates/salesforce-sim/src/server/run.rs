//! Calls with data: they run on the org, and again after a lock that they met.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::sleep;

use crate::data;
use crate::data::request::{DataAnswer, DataRequest, Method};
use crate::fault::RowFaults;
use crate::org::transaction::{Caller, Transaction};
use crate::server::answer::Answer;
use crate::server::body::RequestBody;
use crate::server::call::Call;
use crate::server::world::World;

/// Runs a call on the org.
pub(crate) async fn answer(world: &World, call: &Call, body: &mut RequestBody) -> Answer {
    let body = match call.method {
        Method::Get | Method::Head => None,
        Method::Post | Method::Put | Method::Patch | Method::Delete => match body.json().await {
            Ok(body) => body,
            Err(refusal) => return refusal.into(),
        },
    };
    let headers = data_headers(call);
    let request = DataRequest {
        method: call.method,
        path: &call.path,
        query: &call.query,
        body: body.as_ref(),
        version: call.version,
        headers: &headers,
    };
    let give_up = call.arrived.checked_add(world.schema.locks.wait).unwrap_or(call.arrived);
    let mut kept = Kept { faults: world.faults.for_rows(call.api), draw: None };
    loop {
        match attempt(world, call, &request, &mut kept, give_up) {
            Attempt::Done { answer, rows } => return Answer { rows, ..answer.into() },
            Attempt::Wait(pause) => sleep(pause).await,
        }
    }
}

/// What all attempts of a call have in common.
struct Kept {
    faults: Option<RowFaults>,
    /// Given by the org to the first of them.
    draw: Option<u64>,
}

enum Attempt {
    Done {
        answer: DataAnswer,
        rows: u64,
    },
    /// A row is locked; nothing was applied.
    Wait(Duration),
}

fn attempt(
    world: &World,
    call: &Call,
    request: &DataRequest<'_>,
    kept: &mut Kept,
    give_up: Timestamp,
) -> Attempt {
    let now = world.clock.now();
    if let Some(faults) = &kept.faults {
        faults.again();
    }
    let mut org = world.org();
    if let Err(refusal) = world.check_epoch(call.epoch) {
        return Attempt::Done { answer: refusal.into(), rows: 0 };
    }
    let before = org.sequence();
    let draw = *kept.draw.get_or_insert_with(|| org.next_draw());
    let faults = kept.faults.clone();
    let caller = Caller { call: call.id, job: None, user: call.user, now, draw, faults };
    let mut transaction = Transaction::begin(&mut org, caller);
    let answer = data::answer(&mut transaction, request);
    if let Some(until) = transaction.blocked()
        && now < give_up
    {
        // It is dropped without a commit, which undoes it.
        return Attempt::Wait(until.min(give_up).duration_since(now).unsigned_abs());
    }
    transaction.commit();
    Attempt::Done { answer, rows: org.sequence() - before }
}

/// The headers that change what is done with data.
fn data_headers(call: &Call) -> Vec<(String, String)> {
    let text = |value: &hyper::header::HeaderValue| value.to_str().ok().map(str::to_owned);
    let headers = call.headers.iter();
    headers.filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?))).collect()
}
