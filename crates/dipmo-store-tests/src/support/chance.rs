//! Chance that can be repeated: everything random in the suite comes from a seed.

/// A generator of numbers (SplitMix64): the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Starts from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to one less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % u64::try_from(end).unwrap()).unwrap()
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, times: usize) -> bool {
        self.below(100) < times
    }

    /// Any bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.number().to_le_bytes()[0]).collect()
    }
}

/// The seeds to try: `DIPMO_TEST_SEED` alone if it is set, else a fixed few, many when full.
#[must_use]
pub fn seeds() -> Vec<u64> {
    if let Ok(seed) = std::env::var("DIPMO_TEST_SEED") {
        return vec![seed.parse().unwrap()];
    }
    (1..=if is_full() { 20 } else { 1 }).collect()
}

/// True when `DIPMO_TEST_FULL=1` asks for the long versions.
#[must_use]
pub fn is_full() -> bool {
    std::env::var("DIPMO_TEST_FULL").is_ok_and(|value| value == "1")
}
