//! Bodies that are worth packing.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// What is smaller gains nothing: it fits into one packet as it is.
const LEAST: usize = 1024;

/// The body packed, if that is worth it.
pub(crate) fn gzip(body: &[u8]) -> Option<Bytes> {
    if body.len() <= LEAST {
        return None;
    }
    let mut packer = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    // Writing into memory does not fail; if it did, the body would go out as it is.
    packer.write_all(body).ok()?;
    packer.finish().ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn what_is_small_stays_and_what_is_packed_unpacks_to_the_same() {
        assert_eq!(gzip(&[b'a'; LEAST]), None);
        let body = b"abc".repeat(LEAST);
        let packed = gzip(&body).unwrap();
        assert!(packed.len() < body.len());
        let mut unpacked = Vec::new();
        GzDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, body);
    }
}
