//! `POST /tokens`: makes a token, and shows it once.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use dipmo_domain::StoreError;
use dipmo_store::admin::NewToken;
use hyper::StatusCode;
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::lists::Nothing;
use crate::app::Shared;
use crate::auth::Who;
use crate::body::{Answer, Sent};
use crate::moment::Moment;
use crate::params::Asked;
use crate::problem::Problem;
use crate::roles::Role;
use crate::token::{RANDOM_BYTES, Token};
use crate::trail::{Reason, Said, entry};

/// The longest name of a token.
const LONGEST_NAME: usize = 100;
/// So long a token is good at most, unless it is for ever.
const MOST_DAYS: u32 = 3_650;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A token to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenWish {
    /// Whose it is: letters, digits, `.`, `_`, `-` and `@`.
    #[schema(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9._@-]+$")]
    name: String,
    role: Role,
    /// For how many days it is good; null is for ever, and must be said.
    #[serde(deserialize_with = "said")]
    #[schema(required, minimum = 1, maximum = 3650)]
    days: Option<u32>,
    /// Why; the name says it when nothing else does.
    #[serde(default)]
    reason: Option<Said>,
}

/// A token that was made. It is shown this once: only its hash is kept.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenMade {
    id: i64,
    name: String,
    role: Role,
    expires_at: Option<Moment>,
    /// What `Authorization: Bearer` shows.
    token: String,
}

/// An option that must be there, also when it is null.
pub(super) fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Option::deserialize(deserializer)
}

impl TokenWish {
    fn check(&self) -> Result<(), Problem> {
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
        let fits = (1..=LONGEST_NAME).contains(&self.name.len());
        if !fits || !self.name.chars().all(named) {
            let allowed = format!("1 to {LONGEST_NAME} letters, digits, '.', '_', '-' or '@'");
            return Err(Problem::parameter("name", "cannot be", allowed));
        }
        if self.days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
            let allowed = format!("a number from 1 to {MOST_DAYS}, or null for ever");
            return Err(Problem::parameter("days", "cannot be", allowed));
        }
        Ok(())
    }
}

/// Makes a token, and shows it this once.
#[utoipa::path(
    post,
    path = "/tokens",
    tag = "access",
    request_body = TokenWish,
    responses((status = 201, body = TokenMade))
)]
pub(crate) async fn add_token(
    State(shared): State<Arc<Shared>>,
    Who(identity): Who,
    _: Asked<Nothing>,
    Sent(wish): Sent<TokenWish>,
) -> Result<(StatusCode, Answer<TokenMade>), Problem> {
    wish.check()?;
    let reason = match &wish.reason {
        Some(said) => said.reason()?,
        None => Reason::new(&format!("a token for {}", wish.name))?,
    };
    let expires_at = match wish.days {
        Some(days) => Some(shared.store.now().await?.after(DAY * days)),
        None => None,
    };
    let token = Token::of(&random()?);
    let new = NewToken {
        name: wish.name.clone(),
        role: wish.role.as_str().to_owned(),
        hash: token.hash(),
        expires_at,
    };
    let detail = json!({"role": wish.role, "days": wish.days});
    let entry = entry(&identity, "token.make", &format!("token/{}", wish.name), reason, &detail)?;
    let id = match shared.store.add_token(&new, &entry).await {
        // Two tokens do not have one hash, so it is the name.
        Err(StoreError::RowRefused { .. }) => return Err(Problem::token_exists(&wish.name)),
        other => other?,
    };
    let made = TokenMade {
        id: id.0,
        name: wish.name,
        role: wish.role,
        expires_at: expires_at.map(Moment),
        token: token.into_text(),
    };
    Ok((StatusCode::CREATED, Answer(made)))
}

/// Bytes that nobody can guess.
fn random() -> Result<[u8; RANDOM_BYTES], Problem> {
    let mut bytes = [0; RANDOM_BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map(|()| bytes).map_err(|_| Problem::no_randomness())
}
