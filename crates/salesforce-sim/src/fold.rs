//! Text without regard to case, as Salesforce compares names, external ids and unique values.
//!
//! Nothing is allocated: a bulk job asks for each of its rows several times.

/// A hash that is the same for texts that differ in case only.
pub(crate) fn hash(text: &str) -> u64 {
    if text.is_ascii() {
        bytes_hash(text.bytes().map(|byte| byte.to_ascii_lowercase()))
    } else {
        let mut buffer = [0; 4];
        let mut state = Fnv::new();
        for char in text.chars().flat_map(char::to_lowercase) {
            char.encode_utf8(&mut buffer).bytes().for_each(|byte| state.add(byte));
        }
        state.finish()
    }
}

/// A hash of the bytes as they are.
pub(crate) fn bytes_hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut state = Fnv::new();
    bytes.for_each(|byte| state.add(byte));
    state.finish()
}

/// Whether the texts differ in case only.
pub(crate) fn same(left: &str, right: &str) -> bool {
    if left.is_ascii() && right.is_ascii() {
        left.eq_ignore_ascii_case(right)
    } else {
        left.chars().flat_map(char::to_lowercase).eq(right.chars().flat_map(char::to_lowercase))
    }
}

/// FNV-1a with a last stir, because the tables look at the highest bits first.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn finish(self) -> u64 {
        let stirred = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        stirred ^ (stirred >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference() {
        for (left, right) in [("ExternalId__c", "externalid__C"), ("Élan", "éLAN"), ("", "")] {
            assert!(same(left, right), "{left} {right}");
            assert_eq!(hash(left), hash(right), "{left} {right}");
        }
    }

    #[test]
    fn other_text_is_other_text() {
        for (left, right) in [("a", "b"), ("Élan", "Elan"), ("a", "ab")] {
            assert!(!same(left, right), "{left} {right}");
            assert_ne!(hash(left), hash(right), "{left} {right}");
        }
    }
}
