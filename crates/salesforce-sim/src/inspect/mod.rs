//! `/__sim/…`: what a test may ask the simulator itself. It needs no session and meets no faults.

mod ledger;
mod records;
mod rules;
mod tracked;

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

pub(crate) use self::ledger::answer as ledger;
pub(crate) use self::records::page as records;

use crate::data::request::Method;
use crate::server::answer::Answer;
use crate::server::body::RequestBody;
use crate::server::call::Head;
use crate::server::path::value;
use crate::server::world::World;
use crate::span::Span;

/// What there is, for whoever asks for `/__sim`.
const ENDPOINTS: [&str; 16] = [
    "GET /__sim/calls?api=&method=&status=&path=&fault=&after=&limit=",
    "GET /__sim/counters",
    "GET /__sim/ledger?object=&field=",
    "GET /__sim/records/{object}?{field}={value}&limit=&offset=",
    "GET /__sim/records/{object}/{id}",
    "GET /__sim/jobs",
    "GET /__sim/jobs/{id}/end",
    "GET /__sim/schema",
    "GET /__sim/faults",
    "POST /__sim/faults {\"seed\":0,\"rules\":[{\"when\":{},\"skip\":0,\"times\":1,\"fault\":{\"kind\":\"…\"}}]}",
    "DELETE /__sim/faults",
    "POST /__sim/limits {\"requests\":10,\"batches\":1}",
    "POST /__sim/locks {\"object\":\"Contact\",\"ids\":[\"003…\"],\"hold\":\"5s\"}",
    "POST /__sim/clock {\"advance\":\"2h\"}",
    "DELETE /__sim/sessions",
    "POST /__sim/reset?sessions=true",
];

/// A thousand rules fit well.
const BODY_LIMIT: usize = 1024 * 1024;

/// What a question has for an answer: JSON, or what is wrong with the question.
pub(crate) type Asked = Result<Answer, Answer>;

pub(crate) async fn answer(
    world: &Arc<World>,
    head: &Head,
    path: &[String],
    body: &mut RequestBody,
) -> Answer {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let query = &head.query;
    let asked = match (head.method, words.as_slice()) {
        (Some(Method::Get), []) => Ok(Answer::json(200, json!({ "endpoints": ENDPOINTS }))),
        (Some(Method::Get), ["calls"]) => calls(world, query),
        (Some(Method::Get), ["counters"]) => Ok(counters(world)),
        (Some(Method::Get), ["ledger"]) => ledger(world, query),
        (Some(Method::Get), ["records", object]) => records(world, object, query),
        (Some(Method::Get), ["records", object, id]) => records::one(world, object, id),
        (Some(Method::Get), ["jobs"]) => {
            Ok(Answer::json(200, json!({ "jobs": world.jobs.summaries(&world.schema) })))
        }
        (Some(Method::Get), ["jobs", id, "end"]) => end_of_job(world, id).await,
        (Some(Method::Get), ["schema"]) => Ok(rules::answer(&world.schema)),
        (Some(Method::Get), ["faults"]) => Ok(Answer::json(200, world.faults.show())),
        (Some(Method::Post), ["faults"]) => match read(body).await {
            Ok(rules) => match world.faults.set(rules, &world.schema) {
                Ok(()) => Ok(done()),
                Err(problem) => Err(wrong(&problem)),
            },
            Err(problem) => Err(problem),
        },
        (Some(Method::Delete), ["faults"]) => {
            world.faults.clear();
            Ok(done())
        }
        (Some(Method::Post), ["limits"]) => read(body).await.map(|left| leave(world, &left)),
        (Some(Method::Post), ["locks"]) => match read(body).await {
            Ok(lock) => records::lock(world, &lock),
            Err(problem) => Err(problem),
        },
        (Some(Method::Post), ["clock"]) => read(body).await.map(|Clock { advance }| {
            world.clock.advance(advance.0);
            Answer::json(200, json!({ "now": world.clock.now().to_string() }))
        }),
        (Some(Method::Delete), ["sessions"]) => {
            world.sessions.revoke_all();
            Ok(done())
        }
        (Some(Method::Post), ["reset"]) => {
            world.reset(value(query, "sessions") == Some("true"));
            Ok(done())
        }
        _ => Err(missing("there is no such endpoint; GET /__sim lists them")),
    };
    asked.unwrap_or_else(|problem| problem)
}

/// Answers when the job is over, so that a test need not poll.
async fn end_of_job(world: &World, id: &str) -> Asked {
    let ended = world.jobs.end_of(id, &world.schema, world.clock.now()).await;
    ended.map(|job| Answer::json(200, job)).ok_or_else(|| missing("there is no such job"))
}

/// How far to move the time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clock {
    advance: Span,
}

/// What to leave of the limits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    requests: Option<u64>,
    batches: Option<u64>,
}

fn leave(world: &World, left: &Left) -> Answer {
    let mut org = world.org();
    if let Some(requests) = left.requests {
        org.limits.leave_requests(requests);
    }
    if let Some(batches) = left.batches {
        org.limits.leave_batches(batches);
    }
    done()
}

fn calls(world: &World, query: &[(String, String)]) -> Asked {
    let limit = number(query, "limit", 1_000)?;
    let after = number(query, "after", 0)?;
    let is = |name, found: &str| value(query, name).is_none_or(|wanted| wanted == found);
    let calls = world.calls.show(limit, |call| {
        call.id > after as u64
            && value(query, "api").is_none_or(|api| call.api.is_called(api))
            && is("method", &call.method)
            && is("status", &call.status.to_string())
            && is("fault", call.fault.as_deref().unwrap_or(""))
            && value(query, "path").is_none_or(|part| call.path.contains(part))
    });
    Ok(Answer::json(200, json!({ "calls": calls })))
}

fn counters(world: &World) -> Answer {
    let mut counters = world.calls.counters();
    counters["sessions"] = json!(world.sessions.count());
    let org = world.org();
    counters["writes"] = json!(org.sequence());
    counters["requests"] = json!(org.limits.requests().used);
    counters["batches"] = json!(org.limits.batches().used);
    Answer::json(200, counters)
}

async fn read<T: DeserializeOwned>(body: &mut RequestBody) -> Result<T, Answer> {
    // Whatever its type: who asks by hand forgets it.
    let bytes = body.bytes(BODY_LIMIT).await.map_err(Answer::from)?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(&error.to_string()))
}

fn number(query: &[(String, String)], name: &str, default: usize) -> Result<usize, Answer> {
    let Some(text) = value(query, name) else { return Ok(default) };
    text.parse().map_err(|_| wrong(&format!("{name}={text:?} is no number")))
}

fn done() -> Answer {
    Answer::empty(204)
}

fn wrong(problem: &str) -> Answer {
    Answer::json(400, json!({ "error": problem }))
}

fn missing(problem: &str) -> Answer {
    Answer::json(404, json!({ "error": problem }))
}
