//! Order keys and lanes: what must stay in order, and how that is spread over workers.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::fit;

/// Messages with the same order key are processed one after the other.
///
/// In the inbox it is the aggregate, else the Kafka key, else nothing: then a message is alone.
/// In the outbox it is the record at the destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderKey(String);

impl OrderKey {
    /// The longest order key, in characters.
    pub const MAX_CHARS: usize = 200;

    /// A key from any text; long ones are shortened so that different ones stay different.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(fit(text, Self::MAX_CHARS).text)
    }

    /// A key from the bytes of a Kafka key; bytes that are no text are written in base64.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        str::from_utf8(bytes)
            .map_or_else(|_| Self::new(&format!("base64:{}", STANDARD.encode(bytes))), Self::new)
    }

    /// The text, as it stands in the database.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The lane that all messages of this key share.
    #[must_use]
    pub fn lane(&self) -> Lane {
        Lane::of(self.0.as_bytes())
    }
}

impl fmt::Display for OrderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One of [`Lane::COUNT`] queues; a worker holds a lane while it works on its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(u8);

impl Lane {
    /// How many lanes there are, in every database and for ever: two instances that disagreed
    /// would work on one aggregate at the same time. 16 to 256 measured the same; an empty claim
    /// of 1,024 is slow.
    pub const COUNT: u8 = 64;

    /// The lane of some bytes, by a hash that never changes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let hash = blake3::hash(bytes);
        Self(hash.as_bytes()[0] % Self::COUNT)
    }

    /// A lane by its number; `None` past the last.
    #[must_use]
    pub fn from_index(index: i64) -> Option<Self> {
        u8::try_from(index).ok().filter(|i| *i < Self::COUNT).map(Self)
    }

    /// The number of the lane, as it stands in the database.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The one after this; the first after the last.
    #[must_use]
    pub const fn next(self) -> Self {
        Self((self.0 + 1) % Self::COUNT)
    }

    /// All lanes.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lane {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_known_keys_never_change() {
        let lanes = ["F-8842", "C-1", ""].map(|key| OrderKey::new(key).lane().index());
        assert_eq!(lanes, [12, 16, 47]);
    }

    #[test]
    fn keys_spread_over_all_lanes() {
        let mut seen = [0; Lane::COUNT as usize];
        for n in 0..6_400 {
            seen[usize::from(OrderKey::new(&format!("acc-{n}")).lane().index())] += 1;
        }
        assert!(seen.iter().all(|n| (50..200).contains(n)), "{seen:?}");
    }

    #[test]
    fn binary_keys_stay_apart() {
        assert_ne!(OrderKey::from_bytes(b"\xff\x00"), OrderKey::from_bytes(b"\xff\x01"));
        assert_ne!(OrderKey::from_bytes(b"a\0b"), OrderKey::from_bytes(b"ab"));
    }
}
