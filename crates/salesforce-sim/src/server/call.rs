//! A call: its head as it came, and what is known once its session is.

use hyper::HeaderMap;
use hyper::http::request::Parts;
use jiff::Timestamp;

use crate::data::request::Method;
use crate::fault::CallTarget;
use crate::org::id::RecordId;
use crate::refusal::Refusal;
use crate::server::api::{Api, object_of};
use crate::server::path::{pairs, segments, value};
use crate::server::route::Route;
use crate::server::world::World;

/// All of a request but its body.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) id: u64,
    /// How many resets there were when it came.
    pub(crate) epoch: u64,
    pub(crate) arrived: Timestamp,
    /// `None`: one that the API does not know.
    pub(crate) method: Option<Method>,
    pub(crate) method_name: String,
    /// The path with its query, as it was sent.
    pub(crate) target: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    /// The address under which the client knows us, without a slash at the end.
    pub(crate) base_url: String,
}

impl Head {
    pub(crate) fn new(world: &World, parts: Parts) -> Self {
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let query = parts.uri.query().and_then(pairs).unwrap_or_default();
        // Clients behind a proxy that takes four methods only send the real one in the query.
        let method_name = match value(&query, "_HttpMethod") {
            Some(name) if parts.method == hyper::Method::POST => name.to_ascii_uppercase(),
            _ => parts.method.as_str().to_owned(),
        };
        let host = parts.headers.get("host").and_then(|host| host.to_str().ok());
        let base_url = match host {
            Some(host) if !host.is_empty() => format!("http://{host}"),
            _ => world.url.clone(),
        };
        Head {
            id: world.calls.next_id(),
            epoch: world.epoch(),
            arrived: world.clock.now(),
            method: method_name.parse().ok(),
            method_name,
            target,
            query,
            headers: parts.headers,
            base_url,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The access token; `None` if there is none.
    pub(crate) fn token(&self) -> Result<Option<&str>, Refusal> {
        let Some(header) = self.header("authorization") else { return Ok(None) };
        let token = header.split_once(' ').and_then(|(scheme, token)| {
            let known = ["bearer", "oauth"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
            known.then_some(token.trim())
        });
        token.map(Some).ok_or_else(|| {
            Refusal::new("INVALID_AUTH_HEADER", "INVALID_HEADER_TYPE").with_status(401)
        })
    }
}

/// A call whose head was read: where it goes, and by which family it is known.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) head: Head,
    pub(crate) route: Route,
    /// What is left of the path after the route.
    pub(crate) rest: Vec<String>,
    pub(crate) api: Api,
}

impl Arrival {
    pub(crate) fn new(world: &World, parts: Parts) -> Self {
        let path = segments(parts.uri.path());
        let head = Head::new(world, parts);
        let (route, rest) = path.as_deref().map_or((Route::NoVersion, &[][..]), Route::of);
        let api = route.api(head.method, rest);
        Arrival { rest: rest.to_vec(), head, route, api }
    }

    /// As rules see it.
    pub(crate) fn target<'a>(&'a self, world: &'a World) -> CallTarget<'a> {
        let object = object_of(&self.rest).or_else(|| self.object_of_job(world));
        let Head { method_name, target, .. } = &self.head;
        CallTarget { api: self.api, method: method_name, path: target, object }
    }

    /// The object of the job that the path names.
    fn object_of_job<'a>(&self, world: &'a World) -> Option<&'a str> {
        let (first, id) = (self.rest.first()?, self.rest.get(2)?);
        let job = first.eq_ignore_ascii_case("jobs").then_some(id)?;
        Some(&world.schema[world.jobs.object_of(job, self.head.arrived)?].name)
    }
}

/// A call with data, whose session is valid.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: u64,
    pub(crate) epoch: u64,
    pub(crate) arrived: Timestamp,
    pub(crate) method: Method,
    pub(crate) api: Api,
    /// The version in the path times ten, such as 620.
    pub(crate) version: u32,
    /// The decoded segments after `/services/data/vXX.X/`.
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    /// On whose behalf it is made.
    pub(crate) user: RecordId,
    /// The same as 18 characters.
    pub(crate) user_id: String,
    /// Where that user is described.
    pub(crate) identity: String,
}

impl Call {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
