//! What a token must say to be good here, and which role that gives.

use std::time::Duration;

use dipmo_domain::Timestamp;
use serde_json::{Map, Value};

use super::Refusal;
use super::person::{Person, name_of};
use crate::auth::Identity;
use crate::roles::Role;

/// So much the clocks of two machines may differ.
const LEEWAY: Duration = Duration::from_secs(60);

/// Whose tokens are good, and what they must say.
#[derive(Clone, Debug)]
pub struct OidcOptions {
    /// `iss`, letter by letter.
    pub issuer: String,
    /// `aud` must be this, or have this among others.
    pub audience: String,
    /// The clients that tokens may have been made for, by `azp` or `client_id`. Empty is all.
    pub clients: Vec<String>,
    /// The claim that gives roles.
    pub role_claim: Claim,
    /// Which values of it give which role. Who has several has the highest.
    pub roles: Vec<(String, Role)>,
    /// The claim that names somebody for people, beside `sub`.
    pub name_claim: Option<Claim>,
}

/// Where a claim stands: the name of one, or a JSON pointer such as `/realm_access/roles`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim(String);

impl Claim {
    /// The claim of this name, or at this pointer.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    fn of<'a>(&self, claims: &'a Map<String, Value>) -> Option<&'a Value> {
        // Names may be URLs, and so have slashes in them, but not before all else.
        let Some(path) = self.0.strip_prefix('/') else { return claims.get(&self.0) };
        let mut steps = path.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        let first = claims.get(&steps.next()?)?;
        steps.try_fold(first, |value, step| match value {
            Value::Object(fields) => fields.get(&step),
            _ => None,
        })
    }
}

impl OidcOptions {
    /// Whom the claims of a token stand for, whose signature is good.
    pub(super) fn check(
        &self,
        claims: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<Identity, Refusal> {
        let until = self.is_good(claims, now).ok_or(Refusal::NotGood)?;
        let subject = claims.get("sub").and_then(Value::as_str).filter(|it| !it.is_empty());
        let name = self.name_claim.as_ref().and_then(|claim| claim.of(claims)?.as_str());
        let person =
            Person { subject: subject.ok_or(Refusal::NotGood)?, name, issuer: &self.issuer };
        let role = self.role(claims).ok_or(Refusal::NoRole)?;
        Ok(Identity { name: name_of(&person), role, until: Some(until) })
    }

    /// Until when a token is good, if it is.
    fn is_good(&self, claims: &Map<String, Value>, now: Timestamp) -> Option<Timestamp> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("iss") != Some(&self.issuer) {
            return None;
        }
        let mut audiences = words(claims.get("aud")?)?;
        if !audiences.any(|it| it == self.audience) {
            return None;
        }
        let client = text("azp").or_else(|| text("client_id"));
        let is_known = |client| self.clients.iter().any(|known| known == client);
        if !self.clients.is_empty() && !client.is_some_and(is_known) {
            return None;
        }
        let until = time(claims.get("exp")?)?;
        for begins in ["nbf", "iat"] {
            let Some(said) = claims.get(begins) else { continue };
            if time(said)? > now.after(LEEWAY) {
                return None;
            }
        }
        (until.after(LEEWAY) > now).then_some(until)
    }

    /// The highest role that the claim gives.
    fn role(&self, claims: &Map<String, Value>) -> Option<Role> {
        let said = self.role_claim.of(claims)?;
        let gives = |word: &str| {
            let given = self.roles.iter().filter(|(value, _)| value == word);
            given.map(|(_, role)| *role).max()
        };
        match said {
            // One value, or several as `scope` has them.
            Value::String(text) => {
                gives(text).into_iter().chain(text.split(' ').filter_map(gives)).max()
            }
            several => words(several)?.filter_map(gives).max(),
        }
    }
}

/// A text, or the texts of a list.
fn words(value: &Value) -> Option<impl Iterator<Item = &str>> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        Value::String(_) => std::slice::from_ref(value),
        _ => return None,
    };
    Some(values.iter().filter_map(Value::as_str))
}

/// Seconds since 1970, which may have a fraction.
fn time(value: &Value) -> Option<Timestamp> {
    let seconds = value.as_f64().filter(|it| (0.0..1e11).contains(it))?;
    Some(Timestamp::EPOCH.after(Duration::from_secs_f64(seconds)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn options() -> OidcOptions {
        let roles = [("watchers", Role::Viewer), ("ops", Role::Operator), ("root", Role::Admin)];
        OidcOptions {
            issuer: "https://login.example.com".to_owned(),
            audience: "dipmo".to_owned(),
            clients: Vec::new(),
            role_claim: Claim::new("groups"),
            roles: roles.map(|(value, role)| (value.to_owned(), role)).to_vec(),
            name_claim: Some(Claim::new("email")),
        }
    }

    /// Good claims, with these instead; null is left out.
    fn claims(other: &Value) -> Map<String, Value> {
        let mut claims = json!({
            "iss": "https://login.example.com", "aud": "dipmo", "sub": "1234", "exp": NOW + 300,
            "iat": NOW, "groups": ["staff", "ops", "watchers"], "email": "jane@example.com",
        });
        for (name, value) in other.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let mut claims = claims.as_object().unwrap().clone();
        claims.retain(|_, value| !value.is_null());
        claims
    }

    fn check(options: &OidcOptions, other: &Value) -> Result<Identity, Refusal> {
        options.check(&claims(other), Timestamp::EPOCH.after(Duration::from_secs(NOW)))
    }

    #[test]
    fn who_is_good_has_a_name_a_role_and_an_end() {
        let identity = check(&options(), &json!({})).unwrap();
        assert_eq!(identity.name, "jane@example.com (1234 at https://login.example.com)");
        assert_eq!(identity.role, Role::Operator, "the highest");
        let until = Timestamp::EPOCH.after(Duration::from_secs(NOW + 300));
        assert_eq!(identity.until, Some(until));
    }

    #[test]
    fn what_is_not_for_us_or_not_for_now_is_not_good() {
        for (other, is_good) in [
            (json!({"iss": "https://login.example.com/"}), false),
            (json!({"iss": null}), false),
            (json!({"aud": "other"}), false),
            (json!({"aud": ["other", "dipmo"]}), true),
            (json!({"aud": ["other"]}), false),
            (json!({"aud": {"dipmo": true}}), false),
            (json!({"aud": null}), false),
            (json!({"exp": NOW - 59}), true),
            (json!({"exp": NOW - 60}), false),
            (json!({"exp": NOW as f64 + 0.5}), true),
            (json!({"exp": null}), false),
            (json!({"exp": "never"}), false),
            (json!({"exp": -1}), false),
            (json!({"exp": 1e300}), false),
            (json!({"nbf": NOW + 60}), true),
            (json!({"nbf": NOW + 61}), false),
            (json!({"nbf": "now"}), false),
            (json!({"iat": NOW + 61}), false),
            (json!({"iat": null}), true),
            (json!({"sub": null}), false),
            (json!({"sub": ""}), false),
            (json!({"sub": 7}), false),
        ] {
            let expected = if is_good { Ok(Role::Operator) } else { Err(Refusal::NotGood) };
            assert_eq!(check(&options(), &other).map(|it| it.role), expected, "{other}");
        }
    }

    #[test]
    fn where_clients_are_said_the_token_is_of_one_of_them() {
        let options = OidcOptions { clients: vec!["page".to_owned()], ..options() };
        for (other, is_good) in [
            (json!({"azp": "page"}), true),
            (json!({"client_id": "page"}), true),
            (json!({"azp": "other", "client_id": "page"}), false),
            (json!({}), false),
        ] {
            assert_eq!(check(&options, &other).is_ok(), is_good, "{other}");
        }
    }

    #[test]
    fn a_role_comes_of_a_claim_and_of_nothing_else() {
        let role = |claim: &str, other: Value| {
            let options = OidcOptions { role_claim: Claim::new(claim), ..options() };
            check(&options, &other).map(|it| it.role)
        };
        assert_eq!(role("groups", json!({"groups": "root"})), Ok(Role::Admin));
        assert_eq!(role("scope", json!({"scope": "openid watchers"})), Ok(Role::Viewer));
        assert_eq!(
            role("groups", json!({"groups": ["ROOT", "op", ["root"], 1]})),
            Err(Refusal::NoRole)
        );
        assert_eq!(role("groups", json!({"groups": null})), Err(Refusal::NoRole));
        assert_eq!(role("groups", json!({"groups": {"root": true}})), Err(Refusal::NoRole));
        let keycloak = json!({"realm_access": {"roles": ["ops"]}});
        assert_eq!(role("/realm_access/roles", keycloak.clone()), Ok(Role::Operator));
        assert_eq!(role("/realm_access/other", keycloak), Err(Refusal::NoRole));
        let named = json!({"https://example.com/roles": ["root"]});
        assert_eq!(role("https://example.com/roles", named), Ok(Role::Admin));
        let late = json!({"groups": [], "exp": NOW - 600});
        assert_eq!(
            role("groups", late),
            Err(Refusal::NotGood),
            "a stranger learns nothing of roles"
        );
    }
}
