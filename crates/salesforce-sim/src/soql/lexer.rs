//! A query's text as tokens.

use super::error::malformed;
use crate::refusal::Refusal;

/// One token and the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) offset: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A keyword or a name, with dots in a path.
    Word(String),
    /// What stands between the quotes, with its escapes, which mean more in a `LIKE`.
    Text(String),
    Number(f64),
    /// `2026-01-31`.
    Date(String),
    /// `2026-01-31T10:00:00Z`, or with another offset.
    DateTime(String),
    Symbol(&'static str),
    End,
}

/// Longer ones first, because `<=` begins as `<` does.
const SYMBOLS: [&str; 10] = ["!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ","];

/// All tokens, the last of which is the end.
pub(super) fn tokens(query: &str) -> Result<Vec<Token>, Refusal> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(first) = query[offset..].chars().next() {
        if first.is_whitespace() {
            offset += first.len_utf8();
            continue;
        }
        let (kind, length) = next(query, offset, first)?;
        tokens.push(Token { kind, offset });
        offset += length;
    }
    tokens.push(Token { kind: TokenKind::End, offset: query.len() });
    Ok(tokens)
}

fn next(query: &str, offset: usize, first: char) -> Result<(TokenKind, usize), Refusal> {
    let rest = &query[offset..];
    if first == '\'' {
        return text(query, offset);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = run(rest, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'));
        return Ok((TokenKind::Word(rest[..length].to_owned()), length));
    }
    let signed = matches!(first, '+' | '-') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || signed {
        let length = 1 + run(&rest[1..], |c| c.is_ascii_alphanumeric() || "+-.:".contains(c));
        return match number_or_date(&rest[..length]) {
            Some(kind) => Ok((kind, length)),
            None => {
                Err(malformed(query, offset, format!("unexpected token: '{}'", &rest[..length])))
            }
        };
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((TokenKind::Symbol(symbol), symbol.len())),
        None => {
            // Salesforce's lexer counts columns from 0, its parser from 1.
            let words = format!(
                "line {} no viable alternative at character '{first}'",
                place(query, offset)
            );
            Err(Refusal::new("MALFORMED_QUERY", words))
        }
    }
}

/// The bytes of the longest beginning whose characters all fit.
fn run(rest: &str, fits: impl Fn(char) -> bool) -> usize {
    rest.find(|c: char| !fits(c)).unwrap_or(rest.len())
}

fn number_or_date(word: &str) -> Option<TokenKind> {
    if word.contains('T') {
        return Some(TokenKind::DateTime(word.to_owned()));
    }
    if word.len() == "2026-01-31".len() && word.matches('-').count() == 2 {
        return Some(TokenKind::Date(word.to_owned()));
    }
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    word.parse().ok().filter(|number: &f64| plain && number.is_finite()).map(TokenKind::Number)
}

fn text(query: &str, offset: usize) -> Result<(TokenKind, usize), Refusal> {
    let inner = &query[offset + 1..];
    let mut escaped = false;
    for (at, character) in inner.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return Ok((TokenKind::Text(inner[..at].to_owned()), at + 2)),
            _ => {}
        }
    }
    let place = place(query, query.len());
    let words = format!("line {place} mismatched character '<EOF>' expecting '''");
    Err(Refusal::new("MALFORMED_QUERY", words))
}

fn place(query: &str, offset: usize) -> String {
    let before = &query[..offset];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    format!("{}:{}", before.matches('\n').count() + 1, before[line_start..].chars().count())
}
