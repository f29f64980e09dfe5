//! From text to words.

use super::text;
use crate::flaw::{Flaw, Span};
use crate::value::Value;

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'s> {
    /// A whole number without its sign, which may make room for one more.
    Number(u64),
    /// Any other literal.
    Literal(Value),
    /// A name, a keyword too.
    Name(&'s str),
    /// An operator or a bracket.
    Sign(&'static str),
    End,
}

/// Longer ones come before those that they begin with.
const SIGNS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}", ".", ",", ":", "?", "<", ">",
    "+", "-", "*", "/", "%", "!",
];

/// All words of a source, each with its place; the last is the end.
pub(crate) fn words(source: &str) -> Result<Vec<(Token<'_>, Span)>, Flaw> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        at = skip_blank(source, at);
        let (token, end) = word(source, at)?;
        let last = token == Token::End;
        words.push((token, Span::new(at, end)));
        if last {
            return Ok(words);
        }
        at = end;
    }
}

/// Over spaces and comments.
fn skip_blank(source: &str, mut at: usize) -> usize {
    loop {
        let rest = &source[at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']).len();
        at += blank;
        if source[at..].starts_with("//") {
            at += source[at..].find('\n').unwrap_or(source.len() - at);
        } else {
            return at;
        }
    }
}

fn word(source: &str, at: usize) -> Result<(Token<'_>, usize), Flaw> {
    let rest = &source[at..];
    let bytes = rest.as_bytes();
    let Some(&first) = bytes.first() else {
        return Ok((Token::End, at));
    };
    if let Some((value, length)) = text::literal(rest, at)? {
        return Ok((Token::Literal(value), at + length));
    }
    if first.is_ascii_digit() || first == b'.' && bytes.get(1).is_some_and(u8::is_ascii_digit) {
        return number(source, at);
    }
    if first.is_ascii_alphabetic() || first == b'_' {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        return Ok((Token::Name(&rest[..end]), at + end));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok((Token::Sign(sign), at + sign.len()));
    }
    let strange = rest.chars().next().unwrap_or_default();
    let mut flaw =
        Span::new(at, at + strange.len_utf8()).flaw(format!("`{strange}` has no meaning here"));
    flaw.hint = match strange {
        '=' => Some("two values are compared with `==`".to_owned()),
        '&' => Some("`&&` is and".to_owned()),
        '|' => Some("`||` is or".to_owned()),
        _ => None,
    };
    Err(flaw)
}

fn number(source: &str, at: usize) -> Result<(Token<'_>, usize), Flaw> {
    let rest = &source[at..];
    let hex = rest.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("0x"));
    let (digits, length, double) = if hex { hex_digits(rest) } else { decimal_digits(rest) };
    let unsigned = !double && rest[length..].starts_with(['u', 'U']);
    let end = at + length + usize::from(unsigned);
    let span = Span::new(at, end);
    if source[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        || digits.is_empty()
    {
        return Err(span.flaw("this is no number"));
    }
    if double {
        let value: f64 = digits.parse().map_err(|_| span.flaw("this is no number"))?;
        let finite = value.is_finite().then_some(Token::Literal(Value::Double(value)));
        return finite
            .map(|token| (token, end))
            .ok_or_else(|| span.flaw("this number is too large"));
    }
    let whole = u64::from_str_radix(digits, if hex { 16 } else { 10 });
    let whole = whole.map_err(|_| span.flaw("this number is too large"))?;
    let token = if unsigned { Token::Literal(Value::Uint(whole)) } else { Token::Number(whole) };
    Ok((token, end))
}

fn hex_digits(rest: &str) -> (&str, usize, bool) {
    let length = 2 + rest[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
    (&rest[2..length], length, false)
}

/// The digits, their length, and whether they make a double.
fn decimal_digits(rest: &str) -> (&str, usize, bool) {
    let bytes = rest.as_bytes();
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    let mut double = false;
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
        double = true;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + signed).min(bytes.len()));
        if exponent > 0 {
            length += 1 + signed + exponent;
            double = true;
        }
    }
    (&rest[..length], length, double)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Vec<Token<'_>> {
        words(source).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn numbers_have_many_forms() {
        let double = |value| Token::Literal(Value::Double(value));
        assert_eq!(
            tokens("1 0x1F 7u 0xFFu 1.5 .5 1e3 2.5E-1 9223372036854775808"),
            [
                Token::Number(1),
                Token::Number(31),
                Token::Literal(Value::Uint(7)),
                Token::Literal(Value::Uint(255)),
                double(1.5),
                double(0.5),
                double(1000.0),
                double(0.25),
                Token::Number(1 << 63),
                Token::End
            ]
        );
        for source in [
            "1x",
            "0x",
            "12ab",
            "18446744073709551616",
            "1e999",
            "0xFFFFFFFFFFFFFFFFF",
            "1e",
            "1_000",
        ] {
            assert!(words(source).is_err(), "{source}");
        }
    }

    #[test]
    fn blanks_and_comments_are_passed_over() {
        assert_eq!(
            tokens(" a // the first\n\t&& // and\n b"),
            [Token::Name("a"), Token::Sign("&&"), Token::Name("b"), Token::End]
        );
        assert_eq!(tokens("// nothing"), [Token::End]);
    }

    #[test]
    fn a_strange_sign_is_named_with_its_place() {
        let flaw = words("a = 1").unwrap_err();
        assert_eq!(
            (flaw.span, flaw.hint.as_deref()),
            (2..3, Some("two values are compared with `==`"))
        );
        assert_eq!(words("a é").unwrap_err().span, 2..4);
    }
}
