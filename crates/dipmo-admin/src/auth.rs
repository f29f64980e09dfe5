//! Who asks: whoever shows a token, or whoever the router was made for.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use dipmo_domain::Timestamp;
use dipmo_store::admin::TokenHash;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;

use crate::app::Shared;
use crate::attempt::Attempt;
use crate::oidc::{self, Oidc, Refusal};
use crate::problem::Problem;
use crate::roles::Role;
use crate::token::Token;

/// Somebody who is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name of the token, what an issuer says, or who sits at the command line.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Until when they are known so; `None` is for ever.
    pub until: Option<Timestamp>,
}

impl Identity {
    /// Somebody who is known without a token.
    #[must_use]
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), role, until: None }
    }

    /// Refuses whoever has less than a role.
    pub(crate) fn may(&self, least: Role) -> Result<(), Problem> {
        if self.role < least { Err(Problem::forbidden(least, self.role)) } else { Ok(()) }
    }
}

/// Where a request comes from, as the server saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Who asks, as the door found out.
pub(crate) struct Who(pub(crate) Identity);

impl<S: Sync> FromRequestParts<S> for Who {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get().cloned().map(Self).ok_or_else(Problem::unauthorized)
    }
}

/// The door for who has a token of an issuer. Whoever has another goes on to [`by_token`].
pub(crate) async fn by_issuer(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    let shown = request.headers().get(AUTHORIZATION).and_then(|shown| shown.to_str().ok());
    let shown = shown.and_then(bearer).filter(|text| oidc::looks_like_one(text));
    if let Some((oidc, text)) = shared.oidc.as_ref().and_then(|oidc| Some((oidc, shown?))) {
        match told_by(&shared, oidc, text, peer_of(&request)).await {
            Ok(identity) => _ = request.extensions_mut().insert(identity),
            Err(problem) => return problem.into_response(),
        }
    }
    next.run(request).await
}

/// The door for who has a token. It stands before everything, also before what is not there.
pub(crate) async fn by_token(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    if request.extensions().get::<Identity>().is_none() {
        match identify(&shared, request.headers(), peer_of(&request)).await {
            Ok(identity) => _ = request.extensions_mut().insert(identity),
            Err(problem) => return problem.into_response(),
        }
    }
    next.run(request).await
}

fn peer_of(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<Peer>().map(|peer| peer.0)
}

/// The door of a router that was made for somebody.
pub(crate) async fn as_local(
    State(identity): State<Identity>,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(identity);
    next.run(request).await
}

/// Whom an issuer says that somebody is.
async fn told_by(
    shared: &Shared,
    oidc: &Oidc,
    text: &str,
    peer: Option<IpAddr>,
) -> Result<Identity, Problem> {
    let hash = TokenHash(*blake3::hash(text.as_bytes()).as_bytes());
    let attempt = Attempt::admit(&shared.throttle, peer, Some(hash))?;
    match oidc.identify(text).await {
        Ok(identity) => {
            attempt.good();
            Ok(identity)
        }
        Err(Refusal::NoRole) => {
            attempt.good();
            Err(Problem::no_role())
        }
        Err(Refusal::NotGood) => Err(attempt.refused()),
        Err(Refusal::NoKeys) => {
            attempt.undecided();
            Err(Problem::issuer_unreachable())
        }
    }
}

async fn identify(
    shared: &Shared,
    headers: &HeaderMap,
    peer: Option<IpAddr>,
) -> Result<Identity, Problem> {
    let shown = headers.get(AUTHORIZATION).ok_or_else(Problem::unauthorized)?;
    let token = shown.to_str().ok().and_then(bearer).and_then(Token::shown);
    let hash = token.map(|token| token.hash());
    let attempt = Attempt::admit(&shared.throttle, peer, hash)?;
    let found = match &hash {
        Some(hash) => match shared.store.token(hash).await {
            Ok(found) => found,
            Err(error) => {
                attempt.undecided();
                return Err(Problem::cannot_tell(&error));
            }
        },
        None => None,
    };
    // A role that this version does not know allows nothing.
    let Some((role, row)) = found.and_then(|row| Some((row.role.parse().ok()?, row))) else {
        return Err(attempt.refused());
    };
    attempt.good();
    Ok(Identity { name: row.name, role, until: row.expires_at })
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bearer_token_is_one() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc "), Some("abc"));
        assert_eq!(bearer("Basic abc"), None);
        assert_eq!(bearer("abc"), None);
    }
}
