//! REST over the data of the org: synchronous functions on a transaction.

mod body;
mod collections;
mod collections_read;
mod describe;
mod external;
mod reference;
pub(crate) mod request;
mod row;
mod sobject;
pub(crate) mod url;

use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use request::{DataAnswer, DataRequest, Method};

/// Answers a request for data, by its path.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    tx.allow_duplicates(allows_duplicates(request));
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match path[..] {
        [first, ..] if first.eq_ignore_ascii_case("sobjects") => sobject::answer(tx, request),
        [first, second, ..]
            if first.eq_ignore_ascii_case("composite")
                && second.eq_ignore_ascii_case("sobjects") =>
        {
            collections::answer(tx, request)
        }
        _ => no_such_resource().into(),
    }
}

/// The caller wants a duplicate saved that a rule only warns of.
fn allows_duplicates(request: &DataRequest<'_>) -> bool {
    let header = request.headers.iter().find(|(name, _)| name == "sforce-duplicate-rule-header");
    let wish = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        name.trim().eq_ignore_ascii_case("allowSave") && value.trim().eq_ignore_ascii_case("true")
    };
    header.is_some_and(|(_, value)| value.split(';').any(wish))
}

/// Nothing is behind the path, or no record has the id.
pub(crate) fn no_such_resource() -> Refusal {
    Refusal::new("NOT_FOUND", "The requested resource does not exist").with_status(404)
}

/// The path exists, but not with this method.
pub(crate) fn method_not_allowed(method: Method, allowed: &str) -> Refusal {
    let message = format!("HTTP Method '{}' not allowed. Allowed are {allowed}", method.name());
    Refusal::new("METHOD_NOT_ALLOWED", message).with_status(405)
}

impl Method {
    /// As HTTP names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
            Method::Head => "HEAD",
        }
    }
}
