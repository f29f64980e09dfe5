//! Tokens, of which only hashes are kept.

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{Access, AuditEntry, NewToken, TokenHash, TokenId, TokenRow};
use rusqlite::Row;

use crate::error::unexpected;
use crate::tx::Tx;
use crate::{SqliteStore, audit, rows, sql};

#[async_trait]
impl Access for SqliteStore {
    async fn add_token(&self, token: &NewToken, entry: &AuditEntry) -> Result<TokenId, StoreError> {
        let (token, entry) = (token.clone(), entry.clone());
        self.write(move |tx| add(tx, &token, &entry)).await
    }

    async fn revoke_token(&self, id: TokenId, entry: &AuditEntry) -> Result<bool, StoreError> {
        let entry = entry.clone();
        self.write(move |tx| {
            let revoked = tx.run(&sql::token_revoke(), (id.0, tx.now().as_micros()))? > 0;
            if revoked {
                audit::write(tx, &entry)?;
            }
            Ok(revoked)
        })
        .await
    }

    async fn token(&self, hash: &TokenHash) -> Result<Option<TokenRow>, StoreError> {
        let hash = *hash;
        self.read(move |tx| tx.one(&sql::token_find(), (hash.0, tx.now().as_micros()), token)).await
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.read(|tx| tx.all(&sql::token_rows(), (), token)).await
    }
}

fn add(tx: &Tx<'_>, new: &NewToken, entry: &AuditEntry) -> Result<TokenId, StoreError> {
    let sql = sql::token_insert();
    let expires_at = new.expires_at.map(Timestamp::as_micros);
    let params = (&new.name, &new.role, new.hash.0, tx.now().as_micros(), expires_at);
    let id = tx.one(&sql, params, |row| row.get(0))?;
    audit::write(tx, entry)?;
    id.map(TokenId).ok_or_else(|| unexpected(sql.name, "a token was kept without a number"))
}

fn token(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
    Ok(TokenRow {
        id: TokenId(row.get(0)?),
        name: row.get(1)?,
        role: row.get(2)?,
        created_at: rows::time(row, 3)?,
        expires_at: rows::maybe_time(row, 4)?,
        revoked_at: rows::maybe_time(row, 5)?,
    })
}
