//! The key that recognises a message again, long after its history was dropped.

/// 128 bits of (SOURCE_SYSTEM, MESSAGE_ID).
///
/// Ids that grow with time (UUID version 7, `topic:partition:offset`) keep their growing part as
/// the first 48 bits, so that new keys land beside each other in the index instead of touching
/// cold pages; the other 80 bits are of a cryptographic hash of both. All other ids are hash alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DedupeKey([u8; 16]);

impl DedupeKey {
    /// The key of a message of a source.
    #[must_use]
    pub fn of(source_system: &str, message_id: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        // The length stands first, so that ("ab", "c") and ("a", "bc") differ.
        hasher.update(&(source_system.len() as u64).to_le_bytes());
        hasher.update(source_system.as_bytes());
        hasher.update(message_id.as_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        if let Some(locality) = growing_part(source_system, message_id) {
            key[..6].copy_from_slice(&locality);
        }
        Self(key)
    }

    /// The bits, as they stand in the database.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// A key as it was stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

fn growing_part(source_system: &str, message_id: &str) -> Option<[u8; 6]> {
    uuid_v7_time(message_id).or_else(|| offset_run(source_system, message_id))
}

/// The 48 bits of milliseconds at the head of a UUID version 7.
fn uuid_v7_time(id: &str) -> Option<[u8; 6]> {
    let bytes = id.as_bytes();
    let dashes = [8, 13, 18, 23];
    if bytes.len() != 36 || bytes[14] != b'7' || dashes.iter().any(|at| bytes[*at] != b'-') {
        return None;
    }
    let digits = [id.get(..8)?, id.get(9..13)?].concat();
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let millis = u64::from_str_radix(&digits, 16).ok()?;
    let [_, _, rest @ ..] = millis.to_be_bytes();
    Some(rest)
}

/// `topic:partition:offset`: two bytes for the partition's place in the index, four for the offset.
fn offset_run(source_system: &str, id: &str) -> Option<[u8; 6]> {
    let (stream, offset) = id.rsplit_once(':')?;
    let (_, partition) = stream.rsplit_once(':')?;
    partition.parse::<u32>().ok()?;
    let offset = offset.parse::<u64>().ok()?;
    let place = blake3::hash(format!("{source_system}\0{stream}").as_bytes());
    let mut run = [0; 6];
    run[..2].copy_from_slice(&place.as_bytes()[..2]);
    let [_, _, _, _, low @ ..] = offset.to_be_bytes();
    run[2..].copy_from_slice(&low);
    Some(run)
}

/// 64 bits of the content of a message: the same id with another content is an incident, not a
/// duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash(pub i64);

impl ContentHash {
    /// The hash of the bytes of a record's value; a tombstone has a hash of its own.
    #[must_use]
    pub fn of(value: Option<&[u8]>) -> Self {
        let hash = value.map_or_else(|| blake3::hash(b"\0tombstone"), blake3::hash);
        let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
        Self(i64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_and_id_do_not_run_together() {
        assert_ne!(DedupeKey::of("ab", "c"), DedupeKey::of("a", "bc"));
        assert_eq!(DedupeKey::of("ihub", "m-1"), DedupeKey::of("ihub", "m-1"));
    }

    #[test]
    fn ids_that_grow_make_keys_that_grow() {
        let uuids =
            ["01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac97-774b-8cce-b302099a8057"];
        let [a, b] = uuids.map(|id| DedupeKey::of("crm", id));
        assert!(a < b && a.as_bytes()[..5] == b.as_bytes()[..5]);
        let [a, b] = ["orders:3:99", "orders:3:100"].map(|id| DedupeKey::of("crm", id));
        assert!(a < b && a.as_bytes()[..5] == b.as_bytes()[..5]);
    }

    #[test]
    fn the_same_growing_id_of_two_sources_differs() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_ne!(DedupeKey::of("a", id), DedupeKey::of("b", id));
    }

    #[test]
    fn odd_ids_are_hashed_without_a_panic() {
        for id in ["", ":", "::", "a:b:c", "é890a5d-ac96-774b-bcce-b302099a805", "x:1:-1"] {
            assert_eq!(DedupeKey::of("s", id), DedupeKey::of("s", id));
        }
    }

    #[test]
    fn a_tombstone_is_not_the_text_null() {
        assert_ne!(ContentHash::of(None), ContentHash::of(Some(b"null")));
    }
}
