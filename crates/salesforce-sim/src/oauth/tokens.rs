//! What may be done with a token: revoke it, and ask what it is.

use serde_json::json;

use crate::server::answer::Answer;
use crate::server::path::value;
use crate::server::world::World;

type Form = [(String, String)];

/// `/services/oauth2/revoke`: an access token ends its session, a refresh token ends all of its
/// app's later ones.
pub(crate) fn revoke(world: &World, form: &Form) -> Answer {
    let token = value(form, "token").unwrap_or_default();
    if world.sessions.revoke(token) || world.apps.revoke(token) {
        Answer::html(200, "")
    } else {
        Answer::oauth_error("invalid_token", "the token is invalid or was revoked already")
    }
}

/// `/services/oauth2/introspect`.
pub(crate) fn introspect(world: &World, form: &Form) -> Answer {
    let client_id = value(form, "client_id").unwrap_or_default();
    let Some((app, _)) = world.apps.find(client_id) else {
        return Answer::oauth_error("invalid_client_id", "client identifier invalid");
    };
    if app.client_secret.as_deref() != value(form, "client_secret") {
        return Answer::oauth_error("invalid_client", "invalid client credentials");
    }
    let token = value(form, "token").unwrap_or_default();
    let Some(session) = world.sessions.touch(token, world.clock.now()) else {
        return Answer::json(200, json!({ "active": false }));
    };
    let (_, user_id) = world.ids_of(&session.username);
    Answer::json(
        200,
        json!({
            "active": true,
            "scope": "id api refresh_token",
            "client_id": session.client_id,
            "username": session.username,
            "sub": user_id,
            "token_type": "access_token",
            "exp": world.sessions.ends(&session).map(jiff::Timestamp::as_second),
            "iat": session.opened.as_second(),
            "nbf": session.opened.as_second(),
        }),
    )
}
