//! `POST /services/oauth2/token`: three ways to a session.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::oauth::jwt::Assertion;
use crate::server::answer::Answer;
use crate::server::path::value;
use crate::server::world::World;

/// What is asked for.
pub(crate) struct TokenRequest<'a> {
    pub(crate) form: &'a [(String, String)],
    /// The header `Authorization`.
    pub(crate) authorization: Option<&'a str>,
    /// The address under which the client knows us.
    pub(crate) base_url: &'a str,
}

/// Who is logged in.
struct Login {
    client_id: String,
    username: String,
}

/// Why there is no token: `error` and `error_description`.
type Refused = (&'static str, &'static str);

const UNKNOWN_CLIENT: Refused = ("invalid_client_id", "client identifier invalid");
const WRONG_SECRET: Refused = ("invalid_client", "invalid client credentials");
const INVALID_ASSERTION: Refused = ("invalid_grant", "invalid assertion");

/// Opens a session, or says why not.
pub(crate) fn answer(world: &World, request: &TokenRequest<'_>) -> Answer {
    let login = match value(request.form, "grant_type") {
        Some("client_credentials") => client_credentials(world, request),
        Some("urn:ietf:params:oauth:grant-type:jwt-bearer") => jwt_bearer(world, request),
        Some("refresh_token") => refresh(world, request),
        _ => Err(("unsupported_grant_type", "grant type not supported")),
    };
    match login {
        Ok(login) => token(world, request.base_url, &login),
        Err((error, description)) => Answer::oauth_error(error, description),
    }
    .with_header("cache-control", "no-store")
}

fn client_credentials(world: &World, request: &TokenRequest<'_>) -> Result<Login, Refused> {
    if is_login_host(request.base_url) {
        return Err(("invalid_grant", "request not supported on this domain"));
    }
    let (client_id, secret) = credentials(request);
    let (app, _) = world.apps.find(&client_id).ok_or(UNKNOWN_CLIENT)?;
    if app.client_secret.is_none() || app.client_secret != secret {
        return Err(WRONG_SECRET);
    }
    let username = app.user.clone();
    let username = username.ok_or(("invalid_grant", "no client credentials user enabled"))?;
    Ok(Login { client_id, username })
}

fn refresh(world: &World, request: &TokenRequest<'_>) -> Result<Login, Refused> {
    let (client_id, secret) = credentials(request);
    let (app, _) = world.apps.find(&client_id).ok_or(UNKNOWN_CLIENT)?;
    // An app may refresh without its secret, but not with a wrong one.
    if secret.is_some() && app.client_secret != secret {
        return Err(WRONG_SECRET);
    }
    let given = value(request.form, "refresh_token").unwrap_or_default();
    if !world.apps.may_refresh(app, given) {
        return Err(("invalid_grant", "expired access/refresh token"));
    }
    let username = app.user.clone().ok_or(("invalid_grant", "inactive user"))?;
    Ok(Login { client_id, username })
}

fn jwt_bearer(world: &World, request: &TokenRequest<'_>) -> Result<Login, Refused> {
    let text = value(request.form, "assertion").unwrap_or_default();
    let assertion = Assertion::parse(text).ok_or(INVALID_ASSERTION)?;
    let (app, key) = world.apps.find(assertion.issuer()).ok_or(UNKNOWN_CLIENT)?;
    let claims = key.and_then(|key| assertion.verify(key)).ok_or(INVALID_ASSERTION)?;
    let audiences =
        ["https://login.salesforce.com", "https://test.salesforce.com", request.base_url];
    if !claims.is_for(&audiences) {
        return Err(("invalid_grant", "audience is invalid"));
    }
    // [U] Salesforce documents that `exp` is at most three minutes ahead. Clients that send more are
    // known to get their token, and so they do here.
    let expires = claims.expires_ms().ok_or(INVALID_ASSERTION)?;
    if expires <= world.clock.now().as_millisecond() {
        // Salesforce says so although there is no authorization code in this flow.
        return Err(("invalid_grant", "expired authorization code"));
    }
    let user = world.schema.org.users.iter().find(|user| user.username == claims.sub);
    let user = user.ok_or(("invalid_grant", "user hasn't approved this consumer"))?;
    Ok(Login { client_id: app.client_id.clone(), username: user.username.clone() })
}

/// Whether the client came by a host for everybody, not by one of the org.
fn is_login_host(base_url: &str) -> bool {
    let host = base_url.split_once("://").map_or(base_url, |(_, host)| host);
    ["login.", "test."]
        .iter()
        .any(|start| host.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

/// The id and the secret of the app, from the header or the form.
fn credentials(request: &TokenRequest<'_>) -> (String, Option<String>) {
    let basic = request.authorization.and_then(|header| {
        let (scheme, text) = header.split_once(' ')?;
        let text = scheme.eq_ignore_ascii_case("basic").then_some(text)?;
        let text = String::from_utf8(STANDARD.decode(text.trim()).ok()?).ok()?;
        let (client_id, secret) = text.split_once(':')?;
        Some((client_id.to_owned(), Some(secret.to_owned())))
    });
    basic.unwrap_or_else(|| {
        let field = |name| value(request.form, name).map(str::to_owned);
        (field("client_id").unwrap_or_default(), field("client_secret"))
    })
}

fn token(world: &World, base_url: &str, login: &Login) -> Answer {
    let (org_id, user_id) = world.ids_of(&login.username);
    // Who logs in for everybody is sent to the org.
    let base_url = if is_login_host(base_url) { &world.url } else { base_url };
    let token = world.sessions.open(&org_id, &login.username, &login.client_id, &world.clock);
    let signature: Vec<u8> = {
        let mut rng = world.clock.rng("signature", world.sessions.opened());
        (0..32).map(|_| rng.u8(..)).collect()
    };
    Answer::json(
        200,
        json!({
            "access_token": token,
            "signature": STANDARD.encode(signature),
            "scope": "id api refresh_token",
            "instance_url": base_url,
            "id": format!("{base_url}/id/{org_id}/{user_id}"),
            "token_type": "Bearer",
            "issued_at": world.clock.now().as_millisecond().to_string(),
        }),
    )
}
