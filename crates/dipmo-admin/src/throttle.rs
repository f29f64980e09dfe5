//! Tokens that are not good, by the address they come from: so many at once, and then one every few seconds.
//!
//! It spares the database the look-ups. Whoever shows a token that was good lately is let through even so: a
//! program that runs with an old token must not lock out the people behind the same proxy.
//!
//! **Invariants:** the memory is bounded, whoever comes; and no token is kept, only hashes of those that were good.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use dipmo_store::admin::TokenHash;
use tokio::time::Instant;

/// So many wrong tokens may come at once.
const AT_ONCE: u32 = 10;
/// After so long there may be one more.
const REFILL: Duration = Duration::from_secs(6);
/// For so long a token that was good is let through.
const REMEMBERED: Duration = Duration::from_secs(600);
/// So many addresses, and so many tokens, are remembered.
const MOST: usize = 10_000;

/// Who failed lately, and who did not.
#[derive(Default)]
pub(crate) struct Throttle {
    /// When the bucket of an address is full again: the later, the emptier it is.
    full_at: HashMap<Bucket, Instant>,
    good: HashMap<[u8; 32], Instant>,
}

/// What a look-up cost, before anybody knows whether the token is good; nothing when it was good lately.
pub(crate) struct Charge(Option<Bucket>);

/// An address, or those that share a bucket.
type Bucket = Option<IpAddr>;

impl Throttle {
    /// Lets a token be looked up, or tells how long to wait. It costs at once what a wrong one costs, so that those who
    /// come all together are not looked up all together.
    pub(crate) fn admit(
        &mut self,
        peer: Option<IpAddr>,
        token: Option<&TokenHash>,
        now: Instant,
    ) -> Result<Charge, Duration> {
        match self.wait(peer, token, now) {
            Some(wait) => Err(wait),
            None if token.is_some_and(|token| self.was_good(token, now)) => Ok(Charge(None)),
            None => Ok(Charge(Some(self.failed(peer, now)))),
        }
    }

    /// Gives back what a look-up cost.
    pub(crate) fn refund(&mut self, charge: &Charge) {
        let full_at = charge.0.and_then(|bucket| self.full_at.get_mut(&bucket));
        if let Some(full_at) = full_at {
            *full_at = full_at.checked_sub(REFILL).unwrap_or(*full_at);
        }
    }

    /// This token is not good, whatever it was before.
    pub(crate) fn refuse(
        &mut self,
        peer: Option<IpAddr>,
        token: Option<&TokenHash>,
        charge: &Charge,
        now: Instant,
    ) {
        if let Some(token) = token {
            self.good.remove(&token.0);
        }
        if charge.0.is_none() {
            self.failed(peer, now);
        }
    }

    /// How long somebody has to wait before this token is looked up, if they have to.
    fn wait(
        &self,
        peer: Option<IpAddr>,
        token: Option<&TokenHash>,
        now: Instant,
    ) -> Option<Duration> {
        if token.is_some_and(|token| self.was_good(token, now)) {
            return None;
        }
        let full_at = self.full_at.get(&self.bucket(peer))?;
        let owed = full_at.saturating_duration_since(now);
        (owed + REFILL).checked_sub(REFILL * AT_ONCE).filter(|wait| !wait.is_zero())
    }

    fn was_good(&self, token: &TokenHash, now: Instant) -> bool {
        self.good.get(&token.0).is_some_and(|until| *until > now)
    }

    /// A token from this address is taken for one that is not good.
    fn failed(&mut self, peer: Option<IpAddr>, now: Instant) -> Bucket {
        make_room(&mut self.full_at, now);
        let bucket = self.bucket(peer);
        let full_at = self.full_at.entry(bucket).or_insert(now);
        *full_at = (*full_at).max(now) + REFILL;
        bucket
    }

    /// This token was good.
    pub(crate) fn succeeded(&mut self, token: &TokenHash, now: Instant) {
        make_room(&mut self.good, now);
        if self.good.len() < MOST || self.good.contains_key(&token.0) {
            self.good.insert(token.0, now + REMEMBERED);
        }
    }

    /// The bucket of an address; those for which there is no room share that of nobody.
    fn bucket(&self, peer: Option<IpAddr>) -> Bucket {
        let peer = peer.map(network);
        peer.filter(|_| self.full_at.len() < MOST || self.full_at.contains_key(&peer))
    }
}

/// Forgets what is over, once there are too many.
fn make_room<K: Eq + Hash>(until: &mut HashMap<K, Instant>, now: Instant) {
    if until.len() >= MOST {
        until.retain(|_, until| *until > now);
    }
}

/// Whoever has an address of IPv6 has 2^64 of them.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: TokenHash = TokenHash([1; 32]);

    fn peer(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    fn fail(throttle: &mut Throttle, peer: Option<IpAddr>, times: u32, now: Instant) {
        (0..times).for_each(|_| _ = throttle.failed(peer, now));
    }

    #[test]
    fn ten_may_be_wrong_and_then_one_every_six_seconds() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        let (bad, other) = (peer("10.0.0.1"), peer("10.0.0.2"));
        for _ in 0..10 {
            assert_eq!(throttle.wait(bad, Some(&TOKEN), now), None);
            throttle.failed(bad, now);
        }
        assert_eq!(throttle.wait(bad, Some(&TOKEN), now), Some(REFILL));
        assert_eq!(throttle.wait(bad, None, now), Some(REFILL), "no token at all");
        assert_eq!(throttle.wait(other, Some(&TOKEN), now), None);
        let later = now + REFILL;
        assert_eq!(throttle.wait(bad, Some(&TOKEN), later), None);
        throttle.failed(bad, later);
        assert_eq!(throttle.wait(bad, Some(&TOKEN), later), Some(REFILL));
        assert_eq!(throttle.wait(bad, Some(&TOKEN), now + REFILL * 20), None);
    }

    #[test]
    fn a_token_that_was_good_lately_is_let_through() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        throttle.succeeded(&TOKEN, now);
        fail(&mut throttle, None, 100, now);
        assert_eq!(throttle.wait(None, Some(&TOKEN), now), None);
        assert!(throttle.wait(None, Some(&TokenHash([2; 32])), now).is_some());
        assert!(throttle.wait(None, Some(&TOKEN), now + REMEMBERED).is_none(), "all is forgotten");
        fail(&mut throttle, None, 200, now);
        assert!(throttle.wait(None, Some(&TOKEN), now + REMEMBERED).is_some());
    }

    #[test]
    fn those_who_come_together_are_not_looked_up_together() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        let charges: Vec<_> = (0..10).map(|_| throttle.admit(None, None, now).unwrap()).collect();
        assert_eq!(throttle.admit(None, None, now).err(), Some(REFILL));
        throttle.refund(&charges[0]);
        assert!(throttle.admit(None, None, now).is_ok(), "one of them was good");
        assert!(throttle.admit(None, None, now).is_err());
    }

    #[test]
    fn a_token_that_is_good_no_more_is_not_let_through_again() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        throttle.succeeded(&TOKEN, now);
        fail(&mut throttle, None, 10, now);
        let charge = throttle.admit(None, Some(&TOKEN), now).unwrap();
        throttle.refuse(None, Some(&TOKEN), &charge, now);
        assert_eq!(throttle.admit(None, Some(&TOKEN), now).err(), Some(REFILL * 2));
    }

    #[test]
    fn one_network_of_ipv6_is_one_address() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        (0..10).for_each(|n| fail(&mut throttle, peer(&format!("2001:db8::{n}")), 1, now));
        assert!(throttle.wait(peer("2001:db8::ffff"), None, now).is_some());
        assert!(throttle.wait(peer("2001:db8:0:1::1"), None, now).is_none());
        fail(&mut throttle, peer("::ffff:10.0.0.9"), 10, now);
        assert!(throttle.wait(peer("10.0.0.9"), None, now).is_some());
    }

    #[test]
    fn the_memory_is_bounded() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        for n in 0..u32::try_from(MOST).unwrap() + 100 {
            throttle.failed(Some(IpAddr::V4(n.into())), now);
            throttle.succeeded(&TokenHash(*blake3::hash(&n.to_le_bytes()).as_bytes()), now);
        }
        assert!(throttle.full_at.len() <= MOST + 1 && throttle.good.len() <= MOST);
        assert!(throttle.wait(peer("200.0.0.1"), None, now).is_some(), "they share a bucket");
        throttle.failed(peer("200.0.0.1"), now + REMEMBERED);
        assert_eq!(throttle.full_at.len(), 1, "what is over makes room");
    }
}
