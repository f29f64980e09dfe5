//! An assertion: who we act as, signed by RS256.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::key::Key;
use crate::error::Error;
use crate::secret::Secret;

/// Salesforce documents that an assertion ends within three minutes.
const VALID_SECONDS: i64 = 180;

/// What an assertion claims.
pub(crate) struct Claims<'a> {
    pub(crate) client_id: &'a str,
    pub(crate) username: &'a str,
    pub(crate) audience: &'a str,
}

/// The assertion of these claims at this time.
pub(crate) fn assertion(claims: &Claims<'_>, key: &Key, now: Timestamp) -> Result<Secret, Error> {
    let part = |json: &Json| URL_SAFE_NO_PAD.encode(json.to_string());
    let header = json!({ "alg": "RS256" });
    let claims = json!({
        "iss": claims.client_id,
        "sub": claims.username,
        "aud": claims.audience,
        // In seconds, although the official command line sends milliseconds and is understood.
        "exp": now.as_second() + VALID_SECONDS,
    });
    let message = format!("{}.{}", part(&header), part(&claims));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(message.as_bytes())?);
    Ok(Secret::new(format!("{message}.{signature}")))
}

/// Whom an assertion is for, where the options do not say: the host that logs everybody in, or that
/// of sandboxes.
pub(crate) fn default_audience(login_base: &str) -> &'static str {
    let host = login_base.split_once("://").map_or(login_base, |(_, host)| host);
    if host.starts_with("test.") || host.contains(".sandbox.") {
        "https://test.salesforce.com"
    } else {
        "https://login.salesforce.com"
    }
}

#[cfg(test)]
mod tests {
    use super::default_audience;

    #[test]
    fn sandboxes_have_an_audience_of_their_own() {
        for (base, audience) in [
            ("https://login.salesforce.com", "https://login.salesforce.com"),
            ("https://test.salesforce.com", "https://test.salesforce.com"),
            ("https://acme.my.salesforce.com", "https://login.salesforce.com"),
            ("https://acme--dev.sandbox.my.salesforce.com", "https://test.salesforce.com"),
        ] {
            assert_eq!(default_audience(base), audience, "{base}");
        }
    }
}
