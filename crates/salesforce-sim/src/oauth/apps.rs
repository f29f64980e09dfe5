//! The connected apps: the programs that may log in.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;
use crate::oauth::key::Key;
use crate::schema::{App, Schema};

/// All apps of a schema, with their keys read.
#[derive(Debug)]
pub(crate) struct Apps {
    apps: Vec<(App, Option<Key>)>,
    /// Refresh tokens of the schema that somebody has revoked.
    revoked: Mutex<HashSet<String>>,
}

impl Apps {
    /// Reads the keys. A wrong one is said at the start, not at the first login.
    pub(crate) fn new(schema: &Schema) -> Result<Self, Error> {
        let read = |app: &App| {
            let key = app.certificate.as_deref().map(Key::from_pem).transpose();
            let key = key.map_err(|problem| {
                let client_id = app.client_id.clone();
                Error::Certificate { client_id, problem }
            })?;
            Ok::<_, Error>((app.clone(), key))
        };
        let apps = schema.org.apps.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Apps { apps, revoked: Mutex::default() })
    }

    pub(crate) fn find(&self, client_id: &str) -> Option<(&App, Option<&Key>)> {
        let (app, key) = self.apps.iter().find(|(app, _)| app.client_id == client_id)?;
        Some((app, key.as_ref()))
    }

    /// The first app that can log in with a secret, which is what a newcomer needs.
    pub(crate) fn with_secret(&self) -> Option<(&str, &str)> {
        self.apps
            .iter()
            .find_map(|(app, _)| Some((app.client_id.as_str(), app.client_secret.as_deref()?)))
    }

    /// Whether an app may log in with this refresh token.
    pub(crate) fn may_refresh(&self, app: &App, token: &str) -> bool {
        app.refresh_tokens.iter().any(|known| known == token) && !self.revoked().contains(token)
    }

    /// Ends a refresh token; whether there was one.
    pub(crate) fn revoke(&self, token: &str) -> bool {
        let known =
            self.apps.iter().any(|(app, _)| app.refresh_tokens.iter().any(|one| one == token));
        known && self.revoked().insert(token.to_owned())
    }

    /// Takes back every end of a refresh token.
    pub(crate) fn restore(&self) {
        self.revoked().clear();
    }

    fn revoked(&self) -> MutexGuard<'_, HashSet<String>> {
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
