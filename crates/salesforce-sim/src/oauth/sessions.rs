//! Who is logged in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::clock::Clock;

/// What an access token stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) username: String,
    /// The app that logged in; a token of the schema has none.
    pub(crate) client_id: Option<String>,
    pub(crate) opened: Timestamp,
    used: Timestamp,
}

/// All sessions, by access token.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// How long a session lives after its last use.
    lifetime: Duration,
    opened: AtomicU64,
    open: Mutex<HashMap<String, Session>>,
}

/// What an access token is made of: a known client takes nothing else for one.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";

/// After so many logins the sessions that are over are forgotten.
const SWEEP_EVERY: u64 = 256;

impl Sessions {
    pub(crate) fn new(lifetime: Duration) -> Self {
        Sessions { lifetime, opened: AtomicU64::new(0), open: Mutex::default() }
    }

    /// Opens a session and gives its access token.
    pub(crate) fn open(
        &self,
        org_id: &str,
        username: &str,
        client_id: &str,
        clock: &Clock,
    ) -> String {
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let mut rng = clock.rng("token", number);
        let secret: String =
            (0..96).map(|_| char::from(LETTERS[rng.usize(..LETTERS.len())])).collect();
        let token = format!("{}!AQ{secret}", org_id.get(..15).unwrap_or(org_id));
        if number.is_multiple_of(SWEEP_EVERY) {
            self.sweep(clock.now());
        }
        self.insert(&token, username, Some(client_id.to_owned()), clock.now());
        token
    }

    /// Opens a session whose token is known beforehand. It ends when it is revoked and not before.
    pub(crate) fn open_fixed(&self, token: &str, username: &str, now: Timestamp) {
        self.insert(token, username, None, now);
    }

    fn insert(&self, token: &str, username: &str, client_id: Option<String>, now: Timestamp) {
        let username = username.to_owned();
        let session = Session { username, client_id, opened: now, used: now };
        self.sessions().insert(token.to_owned(), session);
    }

    /// The session of a token, which lives on for being used.
    pub(crate) fn touch(&self, token: &str, now: Timestamp) -> Option<Session> {
        let mut sessions = self.sessions();
        let session = sessions.get_mut(token)?;
        if self.is_over(session, now) {
            sessions.remove(token);
            return None;
        }
        session.used = now;
        Some(session.clone())
    }

    /// Forgets the sessions that are over and that nobody asks for.
    fn sweep(&self, now: Timestamp) {
        self.sessions().retain(|_, session| !self.is_over(session, now));
    }

    /// When a session ends if nobody uses it; `None` if it never does.
    pub(crate) fn ends(&self, session: &Session) -> Option<Timestamp> {
        session.client_id.as_ref()?;
        session.used.checked_add(self.lifetime).ok()
    }

    fn is_over(&self, session: &Session, now: Timestamp) -> bool {
        self.ends(session).is_some_and(|end| end <= now)
    }

    /// Ends a session; whether there was one.
    pub(crate) fn revoke(&self, token: &str) -> bool {
        self.sessions().remove(token).is_some()
    }

    pub(crate) fn revoke_all(&self) {
        self.sessions().clear();
    }

    /// How many sessions were ever opened.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> usize {
        self.sessions().len()
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_session_lives_as_long_as_it_is_used() {
        let (clock, sessions) = (Clock::new(0), Sessions::new(2 * HOUR));
        let token = sessions.open("00D000000000001EAA", "a@b.c", "app", &clock);
        assert!(token.starts_with("00D000000000001!AQ"), "{token}");
        let start = clock.now();
        for hours in [1, 2, 3] {
            assert!(sessions.touch(&token, start + HOUR * hours).is_some(), "{hours}");
        }
        assert_eq!(sessions.touch(&token, start + HOUR * 6), None);
        assert_eq!(sessions.touch(&token, start), None, "it does not come back");
    }

    #[test]
    fn sessions_that_are_over_are_forgotten() {
        let (clock, sessions) = (Clock::new(0), Sessions::new(HOUR));
        for _ in 0..=SWEEP_EVERY {
            sessions.open("00D000000000001EAA", "a@b.c", "app", &clock);
            clock.advance(HOUR);
        }
        assert_eq!(sessions.count(), 1);
    }

    #[test]
    fn every_login_has_a_token_of_its_own_and_one_of_the_schema_never_ends() {
        let (clock, sessions) = (Clock::new(0), Sessions::new(HOUR));
        let open = || sessions.open("00D000000000001EAA", "a@b.c", "app", &clock);
        assert_ne!(open(), open());
        sessions.open_fixed("00D!fixed", "a@b.c", clock.now());
        assert!(sessions.touch("00D!fixed", clock.now() + HOUR * 1000).is_some());
        assert!(sessions.revoke("00D!fixed") && !sessions.revoke("00D!fixed"));
    }
}
