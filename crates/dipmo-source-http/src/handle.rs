//! One request, from its head to its answer.

use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::Bytes;
use dipmo_domain::DedupeKey;
use dipmo_inbox::Stored;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Request, Response};
use tokio::time::timeout;

use crate::door::{Door, Fate};
use crate::key::{Key, message_id};
use crate::message::Maker;
use crate::metrics::count;
use crate::refusal::Refusal;
use crate::route::{self, Route};
use crate::standing::Standing;
use crate::{answer, body};

/// Answers a request. `certified` are the names in the certificate of its client.
pub(crate) async fn handle(
    door: &Door,
    certified: &[String],
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let began = Instant::now();
    let metrics = &door.shared.metrics;
    let response = match answer(door, certified, request).await {
        Ok(response) => response,
        Err(refusal) => {
            let code = refusal.code.as_str();
            metrics.change(|figures| *figures.refusals.entry(code).or_default() += 1);
            answer::refused(&refusal)
        }
    };
    metrics.answered(response.status().as_u16(), began.elapsed());
    response
}

async fn answer(
    door: &Door,
    certified: &[String],
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Refusal> {
    let shared = &door.shared;
    // Who may not post learns nothing about what is here.
    let client = shared.auth.client(request.headers(), certified)?;
    let paths = shared.paths.iter().map(|path| path.options.path.as_str());
    match route::find(paths, request.method(), request.uri().path())? {
        Route::Post { place } => take(door, &shared.paths[place], &client, request).await,
        Route::Ask { place, key } => tell(door, &shared.paths[place], &client, &key).await,
    }
}

/// Stores what was posted.
async fn take(
    door: &Door,
    path: &Maker,
    client: &str,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Refusal> {
    let (shared, options) = (&door.shared, &path.options);
    let (head, body) = request.into_parts();
    let key = Key::of(&head.headers, options.key)?;
    body::check_type(&head.headers)?;
    let expected = body::expected(&body, options.body_limit)?;
    door.is_open()?;
    let room = door.room(expected)?;
    let body = body::read(body, options.body_limit, shared.limits.body_within).await?;
    shared.metrics.change(|figures| figures.bytes += count(body.len()));
    let id = message_id(&options.path, client, &key.text);
    let message = path.message(&shared.inbound, &id, &head.headers, body)?;
    drop(head);
    let link = route::link(&options.path, &key.text);
    match door.store(message, room, key.given).await? {
        Fate::Stored(Stored::New(_)) => Ok(answer::accepted(&key.text, &link, false)),
        Fate::Stored(Stored::Duplicate(_)) => Ok(answer::accepted(&key.text, &link, true)),
        Fate::Stored(Stored::Conflict(first)) => {
            if let Some(times) = shared.told.reused.line() {
                let (path, first) = (&options.path, first.0);
                tracing::warn!(
                    path,
                    client,
                    first,
                    times,
                    "an idempotency key came with another body"
                );
            }
            Err(Refusal::key_reused())
        }
        Fate::Refused => Err(Refusal::refused_by_store()),
        Fate::NotTaken => Err(Refusal::database_away()),
    }
}

/// Says where a request of the client stands.
async fn tell(
    door: &Door,
    path: &Maker,
    client: &str,
    key: &str,
) -> Result<Response<Full<Bytes>>, Refusal> {
    let shared = &door.shared;
    let id = message_id(&path.options.path, client, key);
    let keys = [DedupeKey::of(&shared.source_system, &id)];
    if shared.away.load(Ordering::Relaxed) {
        return Err(Refusal::untold());
    }
    let asked = async {
        // Nobody closes the semaphore.
        let _seat = shared.asking.acquire().await;
        shared.inbox.whereabouts(&keys).await
    };
    let problem = match timeout(shared.limits.answer_within, asked).await {
        Ok(Ok(mut found)) => {
            let found = found.pop().flatten().ok_or_else(Refusal::unknown_request)?;
            return Ok(answer::found(&Standing::new(key, found)));
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    if let Some(times) = shared.told.unknown.line() {
        tracing::warn!(problem, times, "where a request stands could not be told");
    }
    Err(Refusal::untold())
}
