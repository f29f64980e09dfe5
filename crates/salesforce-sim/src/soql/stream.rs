//! The tokens of a query as they are read, and what is said about one that does not fit.

use super::error::malformed;
use super::lexer::{Token, TokenKind, tokens};
use crate::refusal::Refusal;

/// Clauses of SOQL that a test has not needed yet: said in plain words rather than as a wrong token.
pub(super) const UNKNOWN_CLAUSES: [&str; 7] =
    ["GROUP", "HAVING", "FOR", "WITH", "USING", "TYPEOF", "ALL"];

/// Reads tokens one after the other; what they mean is in `parser` and `condition`.
pub(super) struct Parser<'a> {
    query: &'a str,
    tokens: Vec<Token>,
    pub(super) next: usize,
    /// How deep the condition at hand is.
    pub(super) depth: usize,
    /// How many comparisons the query has so far.
    pub(super) comparisons: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(query: &'a str) -> Result<Self, Refusal> {
        Ok(Parser { query, tokens: tokens(query)?, next: 0, depth: 0, comparisons: 0 })
    }

    pub(super) fn peek(&self) -> &TokenKind {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &TokenKind {
        self.tokens.get(self.next + count).map_or(&TokenKind::End, |token| &token.kind)
    }

    pub(super) fn offset(&self) -> usize {
        self.tokens.get(self.next).map_or(self.query.len(), |token| token.offset)
    }

    pub(super) fn is_word(&self, count: usize, word: &str) -> bool {
        matches!(self.ahead(count), TokenKind::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_symbol(&self, count: usize, symbol: &'static str) -> bool {
        *self.ahead(count) == TokenKind::Symbol(symbol)
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn accept(&mut self, symbol: &'static str) -> bool {
        let found = self.is_symbol(0, symbol);
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Refusal> {
        if self.accept_word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn expect(&mut self, symbol: &'static str) -> Result<(), Refusal> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn unexpected(&self) -> Refusal {
        let found = match self.peek() {
            TokenKind::Word(word)
                if UNKNOWN_CLAUSES.iter().any(|clause| clause.eq_ignore_ascii_case(word)) =>
            {
                return self.not_here(&word.to_ascii_uppercase());
            }
            TokenKind::Word(word) | TokenKind::Date(word) | TokenKind::DateTime(word) => {
                word.clone()
            }
            TokenKind::Text(text) => format!("'{text}'"),
            TokenKind::Number(number) => number.to_string(),
            TokenKind::Symbol(symbol) => (*symbol).to_owned(),
            TokenKind::End => "<EOF>".to_owned(),
        };
        malformed(self.query, self.offset(), format!("unexpected token: '{found}'"))
    }

    /// Salesforce may take it; the simulator says that it is the one who does not.
    pub(super) fn not_here(&self, what: &str) -> Refusal {
        malformed(self.query, self.offset(), format!("salesforce-sim does not know {what}"))
    }
}
