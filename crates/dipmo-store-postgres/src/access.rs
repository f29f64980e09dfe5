//! Tokens, of which only hashes are kept.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::admin::{Access, AuditEntry, NewToken, TokenHash, TokenId, TokenRow};
use tokio_postgres::Row;

use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgTime;
use crate::{audit, rows};

#[async_trait]
impl Access for PostgresStore {
    async fn add_token(&self, token: &NewToken, entry: &AuditEntry) -> Result<TokenId, StoreError> {
        let NewToken { name, role, hash, expires_at } = token.clone();
        let keep = params![name, role, hash.0.to_vec(), expires_at.map(PgTime)];
        let calls = vec![
            sql::begin().call(),
            sql::token_insert().with(keep),
            audit::insert(entry),
            sql::commit().call(),
        ];
        let answers = self.report().await?.run(calls).await?;
        Ok(TokenId(answers[1][0].get(0)))
    }

    async fn revoke_token(&self, id: TokenId, entry: &AuditEntry) -> Result<bool, StoreError> {
        let mut params = audit::columns(entry);
        params.extend(params![id.0]);
        let rows = self.report().await?.run(vec![sql::token_revoke().with(params)]).await?;
        Ok(!rows[0].is_empty())
    }

    async fn token(&self, hash: &TokenHash) -> Result<Option<TokenRow>, StoreError> {
        let rows = self.look(sql::token_find().with(params![hash.0.to_vec()])).await?;
        Ok(rows.first().map(token))
    }

    async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        Ok(self.look(sql::token_rows().call()).await?.iter().map(token).collect())
    }
}

fn token(row: &Row) -> TokenRow {
    TokenRow {
        id: TokenId(row.get(0)),
        name: row.get(1),
        role: row.get(2),
        created_at: row.get::<_, PgTime>(3).0,
        expires_at: rows::time(row, 4),
        revoked_at: rows::time(row, 5),
    }
}
