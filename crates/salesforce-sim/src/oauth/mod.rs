//! Logging in, and who is logged in.

pub(crate) mod apps;
mod jwt;
mod key;
pub(crate) mod sessions;
mod token;
mod tokens;
mod userinfo;

use self::token::TokenRequest;
use crate::data::request::Method;
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::body::{RequestBody, is_media_type};
use crate::server::call::Head;
use crate::server::path::pairs;
use crate::server::world::World;

/// What a form may have at most; an assertion is the longest part of it.
const FORM_LIMIT: usize = 100_000;

/// Answers below `/services/oauth2/` and `/id/`.
pub(crate) async fn answer(
    world: &World,
    head: &Head,
    path: &[&str],
    body: &mut RequestBody,
) -> Answer {
    let form = match form(head, body).await {
        Ok(form) => form,
        Err(refusal) => return refusal.into(),
    };
    let base_url = &head.base_url;
    match path {
        ["services", "oauth2", "token"] if head.method != Some(Method::Post) => {
            Answer::oauth_error("invalid_request", "must use HTTP POST")
        }
        ["services", "oauth2", "token"] => {
            let authorization = head.header("authorization");
            token::answer(world, &TokenRequest { form: &form, authorization, base_url })
        }
        ["services", "oauth2", "revoke"] => tokens::revoke(world, &form),
        ["services", "oauth2", "introspect"] => tokens::introspect(world, &form),
        ["services", "oauth2", "userinfo"] => userinfo::userinfo(world, head, &form),
        ["id", org, user] => userinfo::identity(world, head, &form, [org, user]),
        _ => Refusal::not_found().into(),
    }
}

/// The fields of a call: those of its query and, if it has a form for its body, of that.
async fn form(head: &Head, body: &mut RequestBody) -> Result<Vec<(String, String)>, Refusal> {
    let mut fields = head.query.clone();
    let bytes = body.bytes(FORM_LIMIT).await?;
    let content_type = head.header("content-type").unwrap_or_default();
    if is_media_type(content_type, "application/x-www-form-urlencoded") {
        let text = String::from_utf8_lossy(&bytes);
        fields.extend(pairs(&text).unwrap_or_default());
    }
    Ok(fields)
}
