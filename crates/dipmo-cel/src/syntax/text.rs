//! Literals of text and of bytes: quotes, raw ones, and escapes.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::flaw::{Flaw, Span};
use crate::value::Value;

/// The literal that `rest` begins with, if it does, and its length. `at` is where `rest` stands in the source.
pub(crate) fn literal(rest: &str, at: usize) -> Result<Option<(Value, usize)>, Flaw> {
    let Some((raw, bytes, prefix)) = prefix(rest) else {
        return Ok(None);
    };
    let quoted = &rest[prefix..];
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| quoted.starts_with(quote));
    let Some(quote) = quote else {
        return Ok(None);
    };
    let start = prefix + quote.len();
    let Some(length) = find_end(&rest[start..], quote, raw) else {
        let flaw = Span::new(at, at + start).flaw("this text has no end");
        return Err(Flaw { hint: Some(format!("it ends with {quote}")), ..flaw });
    };
    let body = &rest[start..start + length];
    let mut reader = Reader {
        body: body.char_indices().peekable(),
        at: at + start,
        raw,
        bytes,
        out: Vec::new(),
    };
    reader.read()?;
    let out = reader.out;
    let value = if bytes {
        Value::Bytes(out.into())
    } else {
        let text = String::from_utf8(out);
        Value::String(text.map_err(|_| Span::new(at, at + start).flaw("this is no text"))?.into())
    };
    Ok(Some((value, start + length + quote.len())))
}

/// Whether it is raw, whether it is bytes, and how long the prefix is.
fn prefix(rest: &str) -> Option<(bool, bool, usize)> {
    let bare = rest.strip_prefix(['b', 'B']);
    let bytes = bare.is_some();
    let bare = bare.unwrap_or(rest);
    let quoted = bare.strip_prefix(['r', 'R']);
    let raw = quoted.is_some();
    let quoted = quoted.unwrap_or(bare);
    quoted.starts_with(['"', '\'']).then_some((raw, bytes, rest.len() - quoted.len()))
}

/// How long the body is. Only text in three quotes may have more than one line.
fn find_end(body: &str, quote: &str, raw: bool) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in body.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if !raw => escaped = true,
            '\n' | '\r' if quote.len() == 1 => return None,
            _ if body[at..].starts_with(quote) => return Some(at),
            _ => {}
        }
    }
    None
}

struct Reader<'s> {
    body: Peekable<CharIndices<'s>>,
    at: usize,
    raw: bool,
    bytes: bool,
    out: Vec<u8>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Flaw> {
        while let Some((place, character)) = self.body.next() {
            if character == '\\' && !self.raw {
                self.escape(place)?;
            } else {
                self.push(character);
            }
        }
        Ok(())
    }

    fn push(&mut self, character: char) {
        self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn escape(&mut self, place: usize) -> Result<(), Flaw> {
        let letter = self.body.next().map_or('\0', |(_, letter)| letter);
        let code = match letter {
            'a' => 0x07,
            'b' => 0x08,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            '\\' | '?' | '"' | '\'' | '`' => letter as u32,
            'x' | 'X' => return self.coded(place, 0, 2, 16),
            'u' if !self.bytes => return self.coded(place, 0, 4, 16),
            'U' if !self.bytes => return self.coded(place, 0, 8, 16),
            '0'..='3' => return self.coded(place, letter as u32 - '0' as u32, 2, 8),
            _ => return Err(self.flaw(place, "no escape begins like this")),
        };
        self.put(place, code)
    }

    fn coded(&mut self, place: usize, start: u32, digits: u32, radix: u32) -> Result<(), Flaw> {
        let mut code = start;
        for _ in 0..digits {
            let digit = self
                .body
                .next_if(|(_, digit)| digit.is_digit(radix))
                .and_then(|(_, d)| d.to_digit(radix));
            let digit = digit.ok_or_else(|| self.flaw(place, "this escape wants more digits"))?;
            code = code.wrapping_mul(radix) | digit;
        }
        self.put(place, code)
    }

    /// A code is a byte among bytes and a character in text.
    fn put(&mut self, place: usize, code: u32) -> Result<(), Flaw> {
        if self.bytes {
            self.out.push(code as u8);
            return Ok(());
        }
        let character =
            char::from_u32(code).ok_or_else(|| self.flaw(place, "there is no such character"))?;
        self.push(character);
        Ok(())
    }

    fn flaw(&self, place: usize, message: &str) -> Flaw {
        Span::new(self.at + place, self.at + place + 1).flaw(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Result<Value, Flaw> {
        let (value, length) = literal(source, 0)?.expect("a literal");
        assert_eq!(length, source.len());
        Ok(value)
    }

    #[test]
    fn text_is_written_in_many_ways() {
        for (source, text) in [
            (r#""a'b""#, "a'b"),
            (r#"'a"b'"#, "a\"b"),
            (r#""\a\b\f\n\r\t\v\\\?\"\'\`""#, "\x07\x08\x0c\n\r\t\x0b\\?\"'`"),
            (r#""\x41\101\u00e9\U0001F600é""#, "AAé😀é"),
            (r#"r"\n\d""#, r"\n\d"),
            (r#"R'a'"#, "a"),
            ("'''a'b\n''c'''", "a'b\n''c"),
            ("\"\"\"\"a\\\"\"\"\"", "\"a\""),
            ("''", ""),
        ] {
            assert_eq!(read(source).unwrap(), Value::from(text), "{source}");
        }
    }

    #[test]
    fn bytes_are_codes_or_utf_8() {
        for (source, bytes) in [
            (r#"b"\xff\377a""#, &b"\xff\xffa"[..]),
            ("b'é'", "é".as_bytes()),
            (r#"br'\x'"#, br"\x"),
        ] {
            assert_eq!(read(source).unwrap(), Value::Bytes(bytes.into()), "{source}");
        }
    }

    #[test]
    fn what_is_broken_is_said_with_its_place() {
        for (source, place) in [
            ("'abc", 0..1),
            ("'a\nb'", 0..1),
            (r"'a\qb'", 2..3),
            (r"'\u12'", 1..2),
            (r"'\ud800'", 1..2),
            (r"b'\u0041'", 2..3),
            (r"'\", 0..1),
            (r"'\400'", 1..2),
        ] {
            assert_eq!(literal(source, 0).unwrap_err().span, place, "{source}");
        }
    }

    #[test]
    fn a_name_that_begins_like_a_prefix_is_a_name() {
        for source in ["rb", "b", "bb'x'", "rb'x'", "r.x", "x"] {
            assert_eq!(literal(source, 0).unwrap(), None, "{source}");
        }
    }
}
