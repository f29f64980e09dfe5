//! A formula's text as tokens.

use super::error::FormulaError;

/// One token and the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) offset: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    Text(String),
    /// A function, a field, `TRUE`, `FALSE` or `NULL`; dots lead to a parent's field.
    Name(String),
    Symbol(&'static str),
    End,
}

/// Longer ones first, because `<=` begins as `<` does.
const SYMBOLS: [&str; 20] = [
    "&&", "||", "==", "<>", "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "^", "&", "!",
    "(", ")", ",",
];

/// All tokens, the last of which is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, FormulaError> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(rest) = text.get(offset..).filter(|rest| !rest.is_empty()) {
        let (kind, length) =
            next(rest).map_err(|problem| FormulaError::at(text, offset, problem))?;
        if let Some(kind) = kind {
            tokens.push(Token { kind, offset });
        }
        offset += length;
    }
    tokens.push(Token { kind: TokenKind::End, offset: text.len() });
    Ok(tokens)
}

/// The first token, or `None` for what only separates, and the bytes that it takes.
fn next(rest: &str) -> Result<(Option<TokenKind>, usize), String> {
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_whitespace() {
        return Ok((None, first.len_utf8()));
    }
    if rest.starts_with("/*") {
        let end = rest.find("*/").ok_or("the comment that begins here has no end")?;
        return Ok((None, end + 2));
    }
    if matches!(first, '"' | '\'') {
        return literal(rest, first);
    }
    if first.is_ascii_digit() || (first == '.' && followed_by_digit(rest)) {
        return number(rest);
    }
    if first.is_alphabetic() || matches!(first, '_' | '$') {
        let length = run(rest, |c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | ':'));
        return Ok((Some(TokenKind::Name(rest[..length].to_owned())), length));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((Some(TokenKind::Symbol(symbol)), symbol.len())),
        None => Err(format!("no formula has {first:?} outside of a text")),
    }
}

fn followed_by_digit(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit())
}

/// The bytes of the longest beginning whose characters all fit.
fn run(rest: &str, fits: impl Fn(char) -> bool) -> usize {
    rest.find(|c: char| !fits(c)).unwrap_or(rest.len())
}

fn number(rest: &str) -> Result<(Option<TokenKind>, usize), String> {
    let length = run(rest, |c| c.is_ascii_digit() || c == '.');
    match rest[..length].parse() {
        Ok(number) => Ok((Some(TokenKind::Number(number)), length)),
        Err(_) => Err(format!("{:?} is no number", &rest[..length])),
    }
}

fn literal(rest: &str, quote: char) -> Result<(Option<TokenKind>, usize), String> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        if character == quote {
            return Ok((Some(TokenKind::Text(text)), at + 1));
        }
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some((_, 'n')) => text.push('\n'),
            Some((_, 'r')) => text.push('\r'),
            Some((_, 't')) => text.push('\t'),
            Some((_, same @ ('"' | '\'' | '\\'))) => text.push(same),
            Some((_, other)) => {
                return Err(format!("\\{other} stands for nothing in a text; write \\\\ for \\"));
            }
            None => break,
        }
    }
    Err(format!("the text that begins here has no closing {quote}"))
}
