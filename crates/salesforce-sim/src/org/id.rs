//! Ids of records: 15 characters that tell case apart, and three more for those who do not.

use std::fmt;

use crate::schema::ObjectId;

/// A record, by its object and its place there, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RecordId {
    pub(crate) object: ObjectId,
    pub(crate) serial: u32,
}

/// An id as clients see it, in its form of 18 characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IdText([u8; 18]);

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
/// Stands where a real org has the name of its server and a reserved character.
const INSTANCE: &[u8; 3] = b"Hs0";

impl IdText {
    /// The id of the thing of that number.
    pub(crate) fn new(prefix: [u8; 3], serial: u64) -> Self {
        let mut text = [b'0'; 15];
        text[..3].copy_from_slice(&prefix);
        text[3..6].copy_from_slice(INSTANCE);
        let mut rest = serial;
        for place in text[6..].iter_mut().rev() {
            *place = DIGITS[usize::try_from(rest % 62).unwrap_or(0)];
            rest /= 62;
        }
        Self::with_checks(text)
    }

    /// The id that the text means: 15 characters, or 18 in any case with the right checksum.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if !bytes.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        if let Ok(short) = <[u8; 15]>::try_from(bytes) {
            return Some(Self::with_checks(short));
        }
        let long = <[u8; 18]>::try_from(bytes).ok()?;
        restore_case(long).map(IdText)
    }

    /// All 18 characters.
    pub(crate) fn as_str(&self) -> &str {
        // Every way to make one leaves ASCII only.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The first three characters, which tell the object.
    pub(crate) fn prefix(&self) -> [u8; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }

    /// The number in an id that [`IdText::new`] made.
    pub(crate) fn serial(&self) -> Option<u64> {
        if self.0[3..6] != *INSTANCE {
            return None;
        }
        let digit = |byte: u8| DIGITS.iter().position(|&digit| digit == byte);
        self.0[6..15].iter().try_fold(0_u64, |serial, &byte| {
            let digit = u64::try_from(digit(byte)?).ok()?;
            serial.checked_mul(62)?.checked_add(digit)
        })
    }

    fn with_checks(short: [u8; 15]) -> Self {
        let mut text = [b'0'; 18];
        text[..15].copy_from_slice(&short);
        for (at, five) in short.chunks(5).enumerate() {
            let bits = five
                .iter()
                .rev()
                .fold(0, |bits, byte| bits << 1 | usize::from(byte.is_ascii_uppercase()));
            text[15 + at] = CHECKS[bits];
        }
        IdText(text)
    }
}

/// The last three characters say which of the others are capitals, so that a spreadsheet which
/// lost the case does no harm.
fn restore_case(mut text: [u8; 18]) -> Option<[u8; 18]> {
    for at in 0..3 {
        let check = text[15 + at].to_ascii_uppercase();
        let bits = CHECKS.iter().position(|&known| known == check)?;
        text[15 + at] = check;
        for (bit, byte) in text[at * 5..at * 5 + 5].iter_mut().enumerate() {
            if bits >> bit & 1 == 1 {
                if !byte.is_ascii_alphabetic() {
                    return None;
                }
                byte.make_ascii_uppercase();
            } else {
                byte.make_ascii_lowercase();
            }
        }
    }
    Some(text)
}

impl fmt::Display for IdText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for IdText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_real_ids() {
        for (short, long) in [
            ("001D000000IqhSL", "001D000000IqhSLIAZ"),
            ("0012x000002CXlk", "0012x000002CXlkAAG"),
            ("0015e00000RZbzy", "0015e00000RZbzyAAD"),
        ] {
            assert_eq!(IdText::parse(short).unwrap().as_str(), long);
            assert_eq!(IdText::parse(long).unwrap().as_str(), long);
            assert_eq!(IdText::parse(&long.to_lowercase()).unwrap().as_str(), long);
        }
    }

    #[test]
    fn a_serial_comes_back_out_of_its_id() {
        for serial in [1, 61, 62, 200_000, u64::from(u32::MAX)] {
            let id = IdText::new(*b"003", serial);
            assert_eq!(id.serial(), Some(serial), "{id}");
            assert_eq!(IdText::parse(id.as_str()), Some(id));
            assert_eq!(id.prefix(), *b"003");
        }
    }

    #[test]
    fn what_is_no_id_is_none() {
        for text in [
            "",
            "003",
            "003Hs000000000!",
            "001D000000IqhSLIAA1",
            "001D000000IqhSL999",
            "é".repeat(9).as_str(),
        ] {
            assert_eq!(IdText::parse(text), None, "{text}");
        }
        assert_eq!(IdText::parse("001D000000IqhSL").unwrap().serial(), None);
    }
}
