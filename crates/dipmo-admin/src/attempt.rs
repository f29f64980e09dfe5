//! Somebody shows a token: what that costs their address until it is known whether it is good.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dipmo_store::admin::TokenHash;
use tokio::time::Instant;

use crate::problem::Problem;
use crate::throttle::{Charge, Throttle};

/// A token that is looked at.
pub(crate) struct Attempt<'a> {
    throttle: &'a Mutex<Throttle>,
    peer: Option<IpAddr>,
    /// `None` is what cannot be a token at all.
    hash: Option<TokenHash>,
    charge: Charge,
}

impl<'a> Attempt<'a> {
    /// Lets a token be looked at, unless too many came from there that were not good.
    pub(crate) fn admit(
        throttle: &'a Mutex<Throttle>,
        peer: Option<IpAddr>,
        hash: Option<TokenHash>,
    ) -> Result<Self, Problem> {
        let charge = locked(throttle).admit(peer, hash.as_ref(), Instant::now());
        let charge = charge.map_err(|wait| Problem::throttled(wait.as_secs() + 1))?;
        Ok(Self { throttle, peer, hash, charge })
    }

    /// The token is good.
    pub(crate) fn good(self) {
        let mut throttle = locked(self.throttle);
        throttle.refund(&self.charge);
        if let Some(hash) = &self.hash {
            throttle.succeeded(hash, Instant::now());
        }
    }

    /// The token is not good; answers what is told of it.
    pub(crate) fn refused(self) -> Problem {
        let mut throttle = locked(self.throttle);
        throttle.refuse(self.peer, self.hash.as_ref(), &self.charge, Instant::now());
        Problem::unauthorized()
    }

    /// Nobody knows whether it is good.
    pub(crate) fn undecided(self) {
        locked(self.throttle).refund(&self.charge);
    }
}

fn locked(throttle: &Mutex<Throttle>) -> MutexGuard<'_, Throttle> {
    throttle.lock().unwrap_or_else(PoisonError::into_inner)
}
