//! The subrequests of Composite and Graph: what they may be.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::body;
use super::reference::{STRICT_SINCE, illegal_id, names_in};
use super::request::{Method, NoMethod};
use super::url::Target;
use crate::refusal::Refusal;

/// These come from the request around it.
const INHERITED_HEADERS: [&str; 3] = ["accept", "authorization", "content-type"];

/// One subrequest, well formed.
#[derive(Debug)]
pub(super) struct Subrequest<'a> {
    pub(super) reference: &'a str,
    pub(super) method: Method,
    /// As it was sent, for words about it.
    pub(super) url: &'a str,
    /// What the URL leads to, decoded; `None` if it leads nowhere.
    pub(super) target: Option<Target>,
    pub(super) body: Option<&'a Json>,
    pub(super) headers: Vec<(String, String)>,
}

/// Reads the member `compositeRequest`; a mistake in one subrequest refuses the request around them.
pub(super) fn read(
    members: &Map<String, Json>,
    version: u32,
) -> Result<Vec<Subrequest<'_>>, Refusal> {
    let list = body::list(members, "compositeRequest")?;
    let subrequests = list.iter().map(read_one).collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::new();
    for subrequest in &subrequests {
        check_reference(subrequest.reference, version)?;
        if !seen.insert(subrequest.reference) {
            return Err(unreadable("Duplicate ReferenceId provided in the request."));
        }
    }
    Ok(subrequests)
}

fn read_one(json: &Json) -> Result<Subrequest<'_>, Refusal> {
    let Json::Object(members) = json else { return Err(body::unfit("object", json)) };
    body::only(members, &["method", "url", "referenceId", "body", "httpHeaders"])?;
    let url = body::text(members, "url")?;
    Ok(Subrequest {
        method: method(body::text(members, "method")?)?,
        url,
        target: Target::parse(url),
        reference: body::text(members, "referenceId")?,
        body: members.get("body").filter(|body| !body.is_null()),
        headers: headers(members.get("httpHeaders"))?,
    })
}

/// The method of a subrequest, which has to say something: `HEAD` is none.
pub(super) fn method(name: &str) -> Result<Method, Refusal> {
    match name.parse() {
        Ok(Method::Head) | Err(NoMethod) => Err(unreadable(&format!("Unknown method: {name}"))),
        Ok(method) => Ok(method),
    }
}

fn headers(given: Option<&Json>) -> Result<Vec<(String, String)>, Refusal> {
    let given = match given {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(Json::Object(given)) => given,
        Some(other) => return Err(body::unfit("map", other)),
    };
    given
        .iter()
        .map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            if INHERITED_HEADERS.contains(&name.as_str()) {
                return Err(unreadable(&format!("A subrequest cannot have the header {name}")));
            }
            match value {
                Json::String(value) => Ok((name, value.clone())),
                other => Err(body::unfit("string", other)),
            }
        })
        .collect()
}

fn check_reference(reference: &str, version: u32) -> Result<(), Refusal> {
    let legal = reference.starts_with(|c: char| c.is_ascii_alphanumeric())
        && reference.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if legal || version < STRICT_SINCE {
        return Ok(());
    }
    Err(unreadable(&illegal_id(reference)))
}

fn unreadable(words: &str) -> Refusal {
    Refusal::new("JSON_PARSER_ERROR", words)
}

/// `composite/sobjects…`.
pub(super) fn is_collection(target: &Target) -> bool {
    let is = |place: usize, word: &str| {
        target.path.get(place).is_some_and(|segment| segment.eq_ignore_ascii_case(word))
    };
    is(0, "composite") && is(1, "sobjects")
}

/// `query` and `queryAll`.
pub(super) fn is_query(target: &Target) -> bool {
    let first = target.path.first().map(String::as_str).unwrap_or_default();
    first.eq_ignore_ascii_case("query") || first.eq_ignore_ascii_case("queryAll")
}

impl Subrequest<'_> {
    /// Of these a request may have only few.
    pub(super) fn is_heavy(&self) -> bool {
        self.target.as_ref().is_some_and(|target| is_collection(target) || is_query(target))
    }

    /// The reference ids that it refers to, in its body or by its URL, which may be encoded.
    pub(super) fn names(&self) -> Vec<&str> {
        let texts = self.target.iter().flat_map(Target::texts);
        let mut names: Vec<&str> = texts.flat_map(|text| names_in(text)).collect();
        if let Some(body) = self.body {
            collect_names(body, &mut names);
        }
        names
    }
}

fn collect_names<'a>(json: &'a Json, names: &mut Vec<&'a str>) {
    match json {
        Json::String(text) => names.extend(names_in(text)),
        Json::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Json::Object(members) => members.values().for_each(|member| collect_names(member, names)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
