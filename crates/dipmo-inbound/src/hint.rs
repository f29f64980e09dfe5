//! What bytes that are no JSON look like, for the person who has to find out.

use dipmo_domain::{Coded as _, Failure, JsonError};

/// The failure of a value that is no JSON: what the parser says, and what the beginning tells.
pub(crate) fn not_json(error: &JsonError, value: &[u8]) -> Failure {
    let hint = look(value).map_or_else(String::new, |hint| format!("; {hint}"));
    let bytes = value.len();
    let said =
        format!("{error}; the value has {bytes} bytes and begins with {}{hint}", begin(value));
    Failure::coded(error.code(), &said)
}

fn begin(value: &[u8]) -> String {
    const SHOWN: usize = 16;
    let shown = &value[..value.len().min(SHOWN)];
    let more = if value.len() > SHOWN { "…" } else { "" };
    format!("\"{}{more}\"", shown.escape_ascii())
}

fn look(value: &[u8]) -> Option<String> {
    match value {
        [] => Some("an empty value is not the same as none, a tombstone".to_owned()),
        [0, a, b, c, d, ..] => {
            let id = u32::from_be_bytes([*a, *b, *c, *d]);
            Some(format!(
                "it looks like the wire format of a schema registry, schema {id}: Avro or Protobuf?"
            ))
        }
        [0x1f, 0x8b, ..] => Some("it looks like gzip, packed by the producer itself".to_owned()),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("it looks like UTF-16".to_owned()),
        [0xef, 0xbb, 0xbf, ..] => {
            Some("it begins with a byte order mark, which JSON does not allow".to_owned())
        }
        [b'<', ..] => Some("it looks like XML".to_owned()),
        [.., b'}' | b']' | b'"'] => None,
        [b'{' | b'[', ..] => Some("it may have been cut off".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_domain::Json;

    fn said(value: &[u8]) -> String {
        not_json(&Json::from_bytes(value).unwrap_err(), value).message().to_owned()
    }

    #[test]
    fn says_where_what_and_what_it_may_be() {
        let text = said(b"{\"a\":}");
        assert!(
            text.contains("line 1 column 6") && text.contains("the value has 6 bytes"),
            "{text}"
        );
        assert!(said(b"\"a\xff").contains("the first invalid byte is at 2"));
        assert!(said(b"\0\0\0\0\x11\x02\xff").contains("schema 17: Avro or Protobuf?"));
        assert!(said(b"\x1f\x8b\x08").contains("gzip"));
        assert!(said(b"\xff\xfe{\0").contains("UTF-16"));
        assert!(said(b"\xef\xbb\xbf{}").contains("byte order mark"));
        assert!(said(b"<a/>").contains("XML"));
        assert!(said(b"{\"a\": 1").contains("cut off"));
        assert!(said(b"").contains("an empty value is not the same as none"));
    }

    #[test]
    fn bytes_that_cannot_be_shown_are_escaped() {
        assert!(said(&[b'x', 0, 200]).contains(r#"begins with "x\x00\xc8""#));
    }
}
