//! SQL of users as PostgreSQL reads and plans it, without running it.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::sql::{CheckedQuery, CheckedStatement, Place, UserSql};
use dipmo_domain::StoreError;
use dipmo_store::{Complaint, Probe, Probed};
use tokio_postgres::Error;
use tokio_postgres::error::ErrorPosition;

use crate::queries::{self, Places};
use crate::session::Session;
use crate::sql::Sql;
use crate::statements;
use crate::store::PostgresStore;

#[async_trait]
impl Probe for PostgresStore {
    async fn probe(
        &self,
        queries: &[Arc<CheckedQuery>],
        statements: &[Arc<CheckedStatement>],
    ) -> Result<Vec<Probed>, StoreError> {
        // The session is one as batches have it, so that a plan is what theirs would be.
        let session = self.hot().await?;
        let queries = queries.iter().map(|query| UserSql::Query(query));
        let mut probed = Vec::new();
        for sql in queries.chain(statements.iter().map(|it| UserSql::Statement(it))) {
            let complaint = match check(&session, sql).await {
                Ok(()) => explain(&session, sql).await.err(),
                Err(complaint) => Some(complaint),
            };
            match complaint {
                Some(Complaint { error, .. }) if error.is_transient() => return Err(error),
                complaint => probed.push(Probed { name: sql.name(), complaint }),
            }
        }
        Ok(probed)
    }
}

/// Lets the database read a text, and compares its columns with those that were declared.
pub(crate) async fn check(session: &Session, sql: UserSql<'_>) -> Result<(), Complaint> {
    let without_place = |error| Complaint { error, place: None };
    let text = text(sql);
    let client = session.client().map_err(without_place)?;
    let prepared = client.prepare(&text).await;
    let prepared = prepared.map_err(|failed| complaint(session, sql, &text, &failed))?;
    match sql {
        UserSql::Query(query) => {
            Places::find(query, prepared.columns()).map(drop).map_err(without_place)
        }
        UserSql::Statement(_) => Ok(()),
    }
}

/// Lets the database plan a text for any values: what it may not touch is found here.
async fn explain(session: &Session, sql: UserSql<'_>) -> Result<(), Complaint> {
    let text = text(sql);
    let nulls = vec!["null"; sql.parameters().len()].join(", ");
    let nulls = if nulls.is_empty() { nulls } else { format!("({nulls})") };
    let client = session.client().map_err(|error| Complaint { error, place: None })?;
    let explained = client
        .batch_execute(&format!(
            "prepare dipmo_probe as {text}\n; explain execute dipmo_probe{nulls}"
        ))
        .await;
    let forgotten = client.batch_execute("deallocate dipmo_probe").await;
    let failed = explained.and(forgotten).err();
    failed.map_or(Ok(()), |failed| Err(complaint(session, sql, &text, &failed)))
}

fn text(sql: UserSql<'_>) -> String {
    match sql {
        UserSql::Query(query) => queries::text(query),
        UserSql::Statement(statement) => statements::text(statement),
    }
}

fn complaint(session: &Session, sql: UserSql<'_>, text: &str, failed: &Error) -> Complaint {
    let named = Sql::of_user("probe", String::new(), &sql.title());
    let position = match failed.as_db_error().and_then(|db| db.position()) {
        Some(ErrorPosition::Original(position)) => Some(*position),
        _ => None,
    };
    let place = position.and_then(|position| place(sql, text, position));
    Complaint { error: session.error_of(&named, failed), place }
}

/// Where a position of the database, which counts characters from 1, is in the author's text.
fn place(sql: UserSql<'_>, text: &str, position: u32) -> Option<Place> {
    let before = usize::try_from(position).ok()?.checked_sub(1)?;
    let at = text.char_indices().nth(before).map_or(text.len(), |(at, _)| at);
    let template = sql.template();
    match sql {
        UserSql::Query(query) => {
            let at = at.checked_sub(queries::prefix(query).len())?;
            template.place_of(at, queries::placeholder)
        }
        UserSql::Statement(statement) => {
            template.place_of(at, |at| statements::placeholder(statement, at))
        }
    }
}
