//! Who we are to Salesforce: one session for all calls, renewed by one of them when it ends.

mod form;
mod jwt;
mod key;
mod login;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::code::codes;
use crate::error::Error;
use crate::http::deadline::Deadline;
use crate::http::transport::Transport;
use crate::options::ClientOptions;
use crate::secret::Secret;
pub(crate) use login::Login;

/// What a login gave.
pub(crate) struct Token {
    pub(crate) access: Secret,
    /// Where the org is.
    pub(crate) instance: String,
    /// When it came.
    pub(crate) since: Instant,
}

/// The session of a client.
pub(crate) struct Session {
    login: Login,
    current: RwLock<Option<Arc<Token>>>,
    /// Held by whoever logs in, with what the last login that failed said.
    last_failure: Mutex<Option<Error>>,
    failures: AtomicU64,
}

impl Session {
    pub(crate) fn new(options: &ClientOptions) -> Result<Self, Error> {
        let login = Login::new(options)?;
        Ok(Self {
            login,
            current: RwLock::default(),
            last_failure: Mutex::default(),
            failures: AtomicU64::new(0),
        })
    }

    /// The token, after a login if there is none yet.
    pub(crate) async fn token(
        &self,
        transport: &Transport,
        deadline: Deadline,
    ) -> Result<Arc<Token>, Error> {
        match self.current() {
            Some(token) => Ok(token),
            None => self.renew(None, transport, deadline).await,
        }
    }

    /// A token other than the one that is not taken any more.
    ///
    /// Calls that come here together wait for one login and share what it gives, a refusal too: a
    /// wrong secret that is sent by each of them locks the user out.
    pub(crate) async fn renew(
        &self,
        stale: Option<&Arc<Token>>,
        transport: &Transport,
        deadline: Deadline,
    ) -> Result<Arc<Token>, Error> {
        let seen = self.failures.load(Ordering::Acquire);
        let waiting = deadline.limit(self.last_failure.lock()).await;
        let mut last_failure = waiting.map_err(|passed| self.login.too_late(passed))?;
        let is_stale = |token: &Arc<Token>| stale.is_some_and(|stale| Arc::ptr_eq(token, stale));
        if let Some(token) = self.current().filter(|token| !is_stale(token)) {
            return Ok(token);
        }
        if let Some(error) = &*last_failure
            && self.failures.load(Ordering::Acquire) != seen
        {
            return Err(error.clone());
        }
        match self.login.run(transport, deadline).await {
            Ok(token) => {
                let token = Arc::new(token);
                self.keep(Arc::clone(&token));
                Ok(token)
            }
            Err(error) => {
                // Others may have more time left.
                if error.code() != codes::TIMEOUT.as_str() {
                    *last_failure = Some(error.clone());
                    self.failures.fetch_add(1, Ordering::Release);
                }
                Err(error)
            }
        }
    }

    /// Forgets a token that is not taken any more.
    pub(crate) fn forget(&self, stale: &Arc<Token>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|token| Arc::ptr_eq(token, stale)) {
            *current = None;
        }
    }

    fn keep(&self, token: Arc<Token>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(token);
    }

    fn current(&self) -> Option<Arc<Token>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
