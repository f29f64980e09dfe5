//! Sources over HTTP: where they listen, whom they know, and what bodies become.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use dipmo_config::model::http as model;
use dipmo_config::model::source::{Pressure, Source, Topic};
use dipmo_config::problem::codes;
use dipmo_config::{Files, Map, Name, Place, Problem, Problems, Template, UrlPath};
use dipmo_domain::{Code, Destination};
use dipmo_inbound::{CloudEvents, Extraction, Inbound};
use dipmo_source_http::{
    Auth, HttpOptions, HttpSource, KeyRule, PathOptions, SourceError, Tls, Tokens,
};

use super::asked::{set, size};
use super::nowhere::Nowhere;
use super::problem::{coded, invalid};
use super::rules;
use super::sources::LONGEST_GRACE;

/// The largest body that goes on to Kafka, unless the path says another.
const FORWARDED_LIMIT: usize = 900_000;

/// A source, before there is an inbox.
#[derive(Clone, Debug)]
pub struct HttpPlan {
    /// As the file calls it.
    pub name: String,
    /// Where it listens, and to whom.
    pub options: HttpOptions,
    /// How bodies become messages.
    pub inbound: Inbound,
    pub(super) place: Place,
    /// Where the address stands.
    pub(super) listen: Place,
}

/// The sources that can be.
pub(super) fn plan(
    sources: &Map<Source, Name>,
    files: &Files,
    problems: &mut Problems,
) -> Vec<HttpPlan> {
    let mut plans = Vec::new();
    for (name, source) in sources.iter() {
        if let Source::Http(source) = source {
            plans.extend(one(name, source, files, problems));
        }
    }
    plans
}

/// Where the messages of paths go as they are.
pub(super) fn forwards(sources: &Map<Source, Name>) -> BTreeMap<String, Destination> {
    let paths = sources.values().flat_map(Source::paths);
    paths.filter_map(|(path, it)| Some((topic(path), it.to.as_ref()?.value.clone()))).collect()
}

/// The rules of all paths.
pub(super) fn inbound(
    system: &str,
    http: &model::Http,
    problems: &mut Problems,
) -> Option<Inbound> {
    let mut inbound = Some(Inbound::new(system));
    for (name, path) in http.paths.iter() {
        let declared = rules_of(path);
        let Some(mut rules) = rules::of_topic(&declared, problems) else {
            inbound = None;
            continue;
        };
        // Half of what recognises a request: no CloudEvent may say another.
        let system = Extraction::of_parts(&[&format!("const:{system}")]);
        rules.source_system = system.unwrap_or_default();
        // What goes on as it is goes with its envelope.
        if path.to.is_some() && path.cloud_events.is_none() {
            rules.cloud_events = CloudEvents::Keep;
        }
        inbound = match inbound.map(|inbound| inbound.topic(&topic(name), rules)) {
            Some(Ok(inbound)) => Some(inbound),
            Some(Err(error)) => {
                problems.push(rules::place_of(&error, name.place, &declared));
                None
            }
            None => None,
        };
    }
    inbound
}

/// The topic of a path.
pub(super) fn topic(path: &UrlPath) -> String {
    format!("http:{path}")
}

fn one(
    name: &Name,
    source: &model::HttpSource,
    files: &Files,
    problems: &mut Problems,
) -> Option<HttpPlan> {
    let model::HttpSource { place, http, source_system } = source;
    let system = source_system.as_ref().map_or(name.as_str(), |it| it.expose());
    let model::Http { place: _, listen, auth, tls, paths, limits, pressure } = http;
    let before = problems.len();
    let inbound = inbound(system, http, problems);
    let address = address(listen, problems);
    let (auth, authority) = auth_of(auth, problems);
    let mut options = HttpOptions::new(address?, auth?, system);
    options.tls = tls.as_ref().map(|tls| tls_of(tls, authority.clone()));
    for (path, declared) in paths.iter() {
        options.paths.push(path_of(path, declared, files, problems));
    }
    if let Some(limits) = limits {
        set_limits(&mut options, limits, problems);
    }
    if let Some(Pressure { place: _, depth, oldest }) = pressure {
        set(&mut options.pressure.depth, depth.as_ref());
        set(&mut options.pressure.oldest, oldest.as_ref());
    }
    let inbound = inbound?;
    if problems.len() > before {
        return None;
    }
    // What the source itself has to say, long before it has an inbox.
    if let Err(error) = HttpSource::new(options.clone(), inbound.clone(), Arc::new(Nowhere)) {
        problems.push(coded(&error, place_of(&error, source)));
        return None;
    }
    Some(HttpPlan { name: name.to_string(), options, inbound, place: *place, listen: listen.place })
}

pub(super) fn address(listen: &Template, problems: &mut Problems) -> Option<SocketAddr> {
    let address = listen.expose().parse().ok();
    if address.is_none() {
        let message = format!("`{listen}` is no address with a port");
        let hint = "such as `127.0.0.1:8080`, or `0.0.0.0:8080` for every address of the machine";
        problems.push(invalid(listen.place, message).hint(hint));
    }
    address
}

/// Who may post, and the authority of their certificates.
fn auth_of(auth: &model::Auth, problems: &mut Problems) -> (Option<Auth>, Option<String>) {
    match auth {
        model::Auth::Anyone => (Some(Auth::Anyone), None),
        model::Auth::Mtls(model::Mtls { place: _, authority, clients }) => {
            let clients = clients.iter().map(|name| name.expose().to_ascii_lowercase()).collect();
            (Some(Auth::Certificates { clients }), Some(authority.expose().to_owned()))
        }
        model::Auth::Tokens(clients) => {
            let mut tokens = Tokens::default();
            let before = problems.len();
            for (client, secrets) in clients.iter() {
                for secret in secrets.iter() {
                    if let Err(error) = tokens.add(client, secret.expose()) {
                        problems.push(coded(&error, secret.place()));
                    }
                }
            }
            ((problems.len() == before).then_some(Auth::Tokens(tokens)), None)
        }
    }
}

pub(super) fn tls_of(tls: &model::Tls, client_authority: Option<String>) -> Tls {
    let model::Tls { place: _, certificate, key } = tls;
    let (certificate, key) = (certificate.expose().to_owned(), key.expose().to_owned());
    Tls { certificate, key, client_authority }
}

fn path_of(
    path: &UrlPath,
    declared: &model::HttpPath,
    files: &Files,
    problems: &mut Problems,
) -> PathOptions {
    let model::HttpPath {
        place: _,
        idempotency_key,
        schema,
        to,
        headers,
        body_limit,
        aggregate_id: _,
        event_type: _,
        source_version: _,
        event_version: _,
        event_time: _,
        cloud_events: _,
    } = declared;
    let mut options = PathOptions::new(path.as_str());
    if let Some(rule) = idempotency_key {
        options.key = match rule.value {
            model::KeyRule::Required => KeyRule::Required,
            model::KeyRule::Optional => KeyRule::Optional,
        };
    }
    options.schema = schema.as_ref().and_then(|schema| read_schema(schema, files, problems));
    options.headers = headers.iter().map(|name| name.expose().to_owned()).collect();
    options.body_limit = match body_limit {
        Some(limit) => size(limit.get()),
        // A broker takes 1 MB, if nobody told it otherwise, with the headers and all that is around.
        None if to.is_some() => FORWARDED_LIMIT,
        None => options.body_limit,
    };
    options
}

/// A JSON Schema, from the folder of the file that names it.
fn read_schema(
    schema: &Template,
    files: &Files,
    problems: &mut Problems,
) -> Option<serde_json::Value> {
    let folder = Path::new(files.name(schema.place.file)).parent().unwrap_or(Path::new(""));
    let path = folder.join(schema.expose());
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("the JSON Schema `{schema}` cannot be read: {error}");
            let hint = "its path begins in the folder of this file";
            let problem = Problem::error(codes::FILE_UNREADABLE, schema.place, message);
            problems.push(problem.hint(hint));
            return None;
        }
    };
    let read = serde_json::from_slice(&text);
    read.inspect_err(|error| {
        let message = format!("`{schema}` is no JSON: {error}");
        problems.push(Problem::error(Code::new("http-schema-invalid"), schema.place, message));
    })
    .ok()
}

fn set_limits(options: &mut HttpOptions, limits: &model::HttpLimits, problems: &mut Problems) {
    let model::HttpLimits {
        place: _,
        connections,
        waiting,
        memory,
        batch,
        answer_within,
        head_within,
        body_within,
        grace,
    } = limits;
    let to = &mut options.limits;
    for (to, written) in
        [(&mut to.connections, connections), (&mut to.waiting, waiting), (&mut to.batch, batch)]
    {
        if let Some(written) = written {
            *to = size(written.get());
        }
    }
    if let Some(memory) = memory {
        to.memory = usize::try_from(memory.get()).unwrap_or(usize::MAX);
    }
    set(&mut to.answer_within, answer_within.as_ref());
    set(&mut to.head_within, head_within.as_ref());
    set(&mut to.body_within, body_within.as_ref());
    set(&mut to.grace, grace.as_ref());
    if let Some(grace) = grace.filter(|it| it.value > LONGEST_GRACE) {
        let message =
            format!("requests may take {LONGEST_GRACE:?} to end, and not {:?}", grace.value);
        problems.push(invalid(grace.place, message).hint("all of dipmo ends within 10 s"));
    }
}

/// The rules of a path as those of a topic.
fn rules_of(path: &model::HttpPath) -> Topic {
    Topic {
        place: path.place,
        message_id: None,
        aggregate_id: path.aggregate_id.clone(),
        event_type: path.event_type.clone(),
        source_system: None,
        source_version: path.source_version.clone(),
        event_version: path.event_version.clone(),
        event_time: path.event_time.clone(),
        cloud_events: path.cloud_events,
        on_serde_error: None,
        mirror_suffix: None,
        dead_letters: None,
        most_retries: None,
    }
}

/// Where it is written what a source complains about.
fn place_of(error: &SourceError, source: &model::HttpSource) -> Place {
    let http = &source.http;
    let entry = |path: &str| http.paths.entry(path);
    let found = match error {
        SourceError::Schema { path, .. } => {
            entry(path).and_then(|(_, it)| it.schema.as_ref()).map(|it| it.place)
        }
        SourceError::Header { path, header, .. } => entry(path).and_then(|(_, it)| {
            it.headers.iter().find(|it| it.expose() == header).map(|it| it.place)
        }),
        SourceError::Path { path, .. } => entry(path).map(|(name, _)| name.place),
        SourceError::Memory { path, .. } => {
            let body_limit = entry(path).and_then(|(_, it)| it.body_limit).map(|it| it.place);
            let memory = http.limits.as_ref().and_then(|it| it.memory).map(|it| it.place);
            body_limit.or(memory)
        }
        SourceError::System => source.source_system.as_ref().map(|it| it.place),
        SourceError::Tls { .. } => http.tls.as_ref().map(|tls| tls.place),
        SourceError::Address { .. }
        | SourceError::Token { .. }
        | SourceError::Broken { .. }
        | SourceError::Running { .. } => None,
    };
    found.unwrap_or(http.place)
}
