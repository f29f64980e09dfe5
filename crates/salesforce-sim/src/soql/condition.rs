//! The `WHERE` of a query becomes a tree.

use super::lexer::TokenKind;
use super::stream::Parser;
use super::tree::{Comparison, Condition, Literal};
use crate::refusal::Refusal;

/// Reading and evaluating a condition are recursive, and no request may end the process.
const MAX_DEPTH: usize = 100;
/// Each is asked of every record, while the org waits.
const MAX_COMPARISONS: usize = 1000;

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Result<Condition, Refusal> {
        let first = self.factor()?;
        // Salesforce wants parentheses where AND meets OR: the other word is unexpected.
        for (word, join) in [("AND", Condition::All as fn(_) -> _), ("OR", Condition::Any)] {
            if self.is_word(0, word) {
                let mut parts = vec![first];
                while self.accept_word(word) {
                    parts.push(self.factor()?);
                }
                return Ok(join(parts));
            }
        }
        Ok(first)
    }

    fn factor(&mut self) -> Result<Condition, Refusal> {
        self.depth += 1;
        self.comparisons += 1;
        if self.depth > MAX_DEPTH || self.comparisons > MAX_COMPARISONS {
            let words = "Query is either selecting too many fields or the filter conditions are \
                         too complicated.";
            return Err(Refusal::new("QUERY_TOO_COMPLICATED", words));
        }
        let factor = if self.accept_word("NOT") {
            Condition::Not(Box::new(self.factor()?))
        } else if self.accept("(") {
            let inner = self.condition()?;
            self.expect(")")?;
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(factor)
    }

    fn comparison(&mut self) -> Result<Condition, Refusal> {
        if self.is_symbol(1, "(") {
            return Err(self.not_here("functions in WHERE"));
        }
        let field = self.name()?;
        if self.accept_word("IN") {
            return Ok(Condition::In(field, true, self.list()?));
        }
        if self.accept_word("NOT") {
            self.expect_word("IN")?;
            return Ok(Condition::In(field, false, self.list()?));
        }
        if self.is_word(0, "INCLUDES") || self.is_word(0, "EXCLUDES") {
            return Err(self.not_here("INCLUDES and EXCLUDES"));
        }
        let comparison = self.operator()?;
        Ok(Condition::Compare(field, comparison, self.literal()?))
    }

    fn operator(&mut self) -> Result<Comparison, Refusal> {
        let comparison = match self.peek() {
            TokenKind::Symbol("=") => Comparison::Equal,
            TokenKind::Symbol("!=" | "<>") => Comparison::NotEqual,
            TokenKind::Symbol("<") => Comparison::Less,
            TokenKind::Symbol("<=") => Comparison::LessOrEqual,
            TokenKind::Symbol(">") => Comparison::Greater,
            TokenKind::Symbol(">=") => Comparison::GreaterOrEqual,
            TokenKind::Word(word) if word.eq_ignore_ascii_case("LIKE") => Comparison::Like,
            _ => return Err(self.unexpected()),
        };
        self.next += 1;
        Ok(comparison)
    }

    fn list(&mut self) -> Result<Vec<Literal>, Refusal> {
        self.expect("(")?;
        if self.is_word(0, "SELECT") {
            return Err(self.not_here("subqueries in WHERE"));
        }
        let mut literals = vec![self.literal()?];
        while self.accept(",") {
            literals.push(self.literal()?);
        }
        self.expect(")")?;
        Ok(literals)
    }

    fn literal(&mut self) -> Result<Literal, Refusal> {
        let literal = match self.peek() {
            TokenKind::Text(text) => Literal::Text(text.clone()),
            TokenKind::Number(number) => Literal::Number(*number),
            TokenKind::Date(date) => Literal::Date(date.clone()),
            TokenKind::DateTime(time) => Literal::DateTime(time.clone()),
            TokenKind::Word(word) => match word.to_ascii_uppercase().as_str() {
                "NULL" => Literal::Null,
                "TRUE" => Literal::Bool(true),
                "FALSE" => Literal::Bool(false),
                "TODAY" | "YESTERDAY" | "TOMORROW" => return Err(self.not_here("date literals")),
                word if word.starts_with("LAST_")
                    || word.starts_with("NEXT_")
                    || word.starts_with("THIS_") =>
                {
                    return Err(self.not_here("date literals"));
                }
                _ => return Err(self.unexpected()),
            },
            TokenKind::Symbol(_) | TokenKind::End => return Err(self.unexpected()),
        };
        self.next += 1;
        Ok(literal)
    }
}
