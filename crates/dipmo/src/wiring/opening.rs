//! Opens the database: waits for one that is on its way, and says at once what waiting cannot change.

use std::sync::Arc;
use std::time::Duration;

use dipmo_config::{Place, Problem};
use dipmo_domain::{Backoff, Coded as _, StoreError};
use dipmo_store::admin::Operable;
use dipmo_store::{StateMapping, Store};
use tokio::time::{Instant, sleep, timeout};

use super::Pipeline;
use super::problem::coded;

/// What is done about a schema that is not up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSchema {
    /// It is brought up to date, from any number of instances at once.
    Apply,
    /// Nothing is changed: it is an error.
    Refuse,
}

/// Between attempts.
const BACKOFF: Backoff = Backoff::Exponential {
    first: Duration::from_millis(250),
    longest: Duration::from_secs(5),
    retries: u32::MAX,
};

impl Pipeline {
    /// Opens the database, and sees to its schema. While nobody answers it is tried again for so long.
    ///
    /// # Errors
    /// What is wrong, at the place of the option that names the database.
    pub async fn open(
        &self,
        on_schema: OnSchema,
        within: Duration,
    ) -> Result<Arc<dyn Operable>, Problem> {
        self.open_telling(on_schema, within, |_| {}).await
    }

    /// As [`open`](Self::open), and tells what is waited for, whenever that changes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_telling(
        &self,
        on_schema: OnSchema,
        within: Duration,
        tell: impl Fn(&str) + Sync,
    ) -> Result<Arc<dyn Operable>, Problem> {
        let began = Instant::now();
        let mut attempts = 0;
        loop {
            let error = match self.attempt(on_schema, &tell).await {
                Ok(store) => return Ok(store),
                Err(error) => error,
            };
            let delay = BACKOFF.delay(attempts, fastrand::u64(..)).unwrap_or_default();
            if !error.is_transient() || began.elapsed() + delay > within {
                return Err(self.about_store(&error));
            }
            tracing::warn!(%error, retry_in = ?delay, "the database is waited for");
            tell(&format!("the database is waited for; {}: {error}", error.code()));
            attempts += 1;
            sleep(delay).await;
        }
    }

    /// Opens the database as it is, once, for who only looks.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_as_it_is(&self, within: Duration) -> Result<Arc<dyn Operable>, Problem> {
        let opened = timeout(within, self.store.open()).await;
        opened.unwrap_or_else(|_| Err(slow())).map_err(|error| self.about_store(&error))
    }

    async fn attempt(
        &self,
        on_schema: OnSchema,
        tell: &(impl Fn(&str) + Sync),
    ) -> Result<Arc<dyn Operable>, StoreError> {
        let store = self.store.open().await?;
        match on_schema {
            OnSchema::Apply => {
                tell("the schema is looked at and brought up to date, or somebody else does it");
                for applied in store.migrate(&self.tables).await? {
                    let (version, name) = (applied.version, applied.name);
                    tracing::info!(version, name, "migration applied");
                }
            }
            OnSchema::Refuse => {
                tell("the schema is looked at");
                self.take_as_it_is(store.as_ref()).await?;
            }
        }
        Ok(store)
    }

    /// Looks whether a schema will do, and changes nothing of it: who runs may be somebody who could not.
    async fn take_as_it_is(&self, store: &dyn Store) -> Result<(), StoreError> {
        store.check_schema().await?;
        if !store.plan(&self.tables).await?.is_empty() {
            let problem = "the tables of the processes are not as they are declared".to_owned();
            return Err(StoreError::SchemaMissing { problem });
        }
        StateMapping::default().cover(&store.strays(&self.tables).await?)?;
        store.learn(&self.tables);
        Ok(())
    }

    /// An error of the database as a problem, at the option that names it.
    #[must_use]
    pub fn about_store(&self, error: &StoreError) -> Problem {
        let problem = coded(error, self.sql_of(error).unwrap_or(self.store.place));
        let hint = match error {
            StoreError::Unreachable { .. } => "is the server up, and is its address the right one?",
            StoreError::AuthFailed { .. } => {
                "look at the user and the password, or at what is behind the reference"
            }
            StoreError::SchemaMissing { .. } => {
                "`dipmo migrate plan` shows what is missing, `dipmo migrate apply` makes it"
            }
            StoreError::StatesGone { .. } => {
                "`dipmo migrate apply --map PROCESS.OLD=NEW` moves them"
            }
            _ => return problem,
        };
        problem.hint(hint)
    }

    /// Where the SQL stands that an error is about.
    fn sql_of(&self, error: &StoreError) -> Option<Place> {
        match named_sql(error)? {
            ("query", name) => self.config.queries.get(name).map(|it| it.sql.place),
            (_, name) => self.config.statements.get(name).map(|it| it.sql.place),
        }
    }
}

/// The kind and the name with which an error names SQL of the file's own.
fn named_sql(error: &StoreError) -> Option<(&str, &str)> {
    let (StoreError::SqlFailed { sql, .. }
    | StoreError::SqlMismatch { sql, .. }
    | StoreError::SqlUnsupported { sql, .. }) = error
    else {
        return None;
    };
    let mut words = sql.split(' ');
    words.next().zip(words.next())
}

pub(super) fn slow() -> StoreError {
    let place = "the database".to_owned();
    StoreError::Unreachable { place, problem: "it did not answer in time".to_owned() }
}
