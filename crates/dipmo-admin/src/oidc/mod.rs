//! Whoever comes with a token of an issuer elsewhere (OpenID Connect): a JWT, checked with the keys of that issuer.
//!
//! ```text
//!  text ──► three parts, a good algorithm ──► key by `kid` ──► signature ──► claims ──► role, name
//!                                             └── keys of the issuer, kept and looked at now and then
//! ```
//!
//! **Invariants:** nothing that a token says is believed before its signature is found to be good. The key decides which
//! algorithm may be used with it, never the token alone. No token, claim or key is in a log, an error or a print. However
//! many strangers come, the issuer is asked so often and no more.

mod claims;
mod jwk;
mod jwt;
mod keeper;
mod person;

use std::fmt;
use std::sync::Arc;

use dipmo_domain::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::auth::Identity;
use keeper::Keeper;

pub use claims::{Claim, OidcOptions};
pub(crate) use jwt::looks_like_one;
pub use keeper::{KeySource, KeysError};

/// An issuer, and whom its tokens stand for.
pub struct Oidc {
    options: OidcOptions,
    keeper: Keeper,
    /// The clock of this machine: it is what the issuer's times are compared with.
    clock: fn() -> Timestamp,
}

/// Why a token is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Whoever made it, it is not good here.
    NotGood,
    /// It is good, and says nothing that gives a role.
    NoRole,
    /// Nobody can tell: the issuer has not said its keys.
    NoKeys,
}

impl Oidc {
    /// The issuer of these options, whose keys come from `source`. Nobody is asked before [`Oidc::run`].
    #[must_use]
    pub fn new(
        options: OidcOptions,
        source: Arc<dyn KeySource>,
        clock: fn() -> Timestamp,
    ) -> Arc<Self> {
        Arc::new(Self { options, keeper: Keeper::new(source), clock })
    }

    /// Keeps the keys of the issuer up to date until it is stopped.
    pub async fn run(&self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.keeper.run() => {}
        }
    }

    /// Asks the issuer once, and tells how many of its keys can be used.
    ///
    /// # Errors
    /// When it does not answer, or with something else.
    pub async fn ask(&self) -> Result<usize, KeysError> {
        Ok(self.keeper.look().await?.len())
    }

    /// Whom a token stands for.
    pub(crate) async fn identify(&self, text: &str) -> Result<Identity, Refusal> {
        let token = jwt::read(text).ok_or(Refusal::NotGood)?;
        let keys = self.keeper.keys_with(&token).await?;
        if !keys.signed(&token) {
            return Err(Refusal::NotGood);
        }
        let claims = token.claims().ok_or(Refusal::NotGood)?;
        self.options.check(&claims, (self.clock)())
    }
}

impl fmt::Debug for Oidc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oidc").field("options", &self.options).finish_non_exhaustive()
    }
}
