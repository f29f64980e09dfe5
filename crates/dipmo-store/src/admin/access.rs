//! Tokens. The store keeps their hashes, and never a token.

use std::fmt;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};

use super::audit::AuditEntry;

/// The number of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId(pub i64);

/// The hash of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash(pub [u8; 32]);

/// A hash is not shown either: it would let somebody try words against it.
impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

/// A token to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Whose it is; unique among tokens that are not revoked.
    pub name: String,
    /// What it allows.
    pub role: String,
    /// Its hash.
    pub hash: TokenHash,
    /// Until when it is good; `None` is for ever.
    pub expires_at: Option<Timestamp>,
}

/// A token as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its number.
    pub id: TokenId,
    /// Whose it is.
    pub name: String,
    /// What it allows.
    pub role: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when it is good.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Who may come in.
#[async_trait]
pub trait Access: Send + Sync {
    /// Keeps a token and the entry of the audit, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::RowRefused`] when there is one of that name that is not revoked, or of that hash.
    async fn add_token(&self, token: &NewToken, entry: &AuditEntry) -> Result<TokenId, StoreError>;

    /// Revokes a token, with the entry of the audit. False when there is none that is not revoked; then
    /// nothing was changed.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn revoke_token(&self, id: TokenId, entry: &AuditEntry) -> Result<bool, StoreError>;

    /// The token with a hash, unless it is revoked or, by the database's clock, no longer good.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn token(&self, hash: &TokenHash) -> Result<Option<TokenRow>, StoreError>;

    /// All tokens, the newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError>;
}
