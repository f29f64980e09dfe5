//! Tokens become a query.

use super::error::malformed;
use super::lexer::{Token, TokenKind, tokens};
use super::tree::{Comparison, Condition, Group, Literal, Name, Order, Query, Select, Selected};
use crate::refusal::Refusal;

/// Salesforce takes queries up to this long.
const MAX_LENGTH: usize = 100_000;
/// Reading and evaluating a condition are recursive, and no request may end the process.
const MAX_DEPTH: usize = 100;
const MAX_OFFSET: usize = 2000;

/// Clauses of SOQL that a test has not needed yet: said in plain words rather than as a wrong token.
const UNKNOWN_CLAUSES: [&str; 7] = ["GROUP", "HAVING", "FOR", "WITH", "USING", "TYPEOF", "ALL"];

struct Parser<'a> {
    query: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

pub(super) fn parse(query: &str) -> Result<Query, Refusal> {
    if query.trim().is_empty() {
        return Err(Refusal::new("MALFORMED_QUERY", "A query string has to be specified"));
    }
    if query.chars().count() > MAX_LENGTH {
        let words = "SOQL statements cannot be longer than 100000 characters.";
        return Err(Refusal::new("MALFORMED_QUERY", words));
    }
    let mut parser = Parser { query, tokens: tokens(query)?, next: 0, depth: 0 };
    let query = parser.query()?;
    match parser.peek() {
        TokenKind::End => Ok(query),
        _ => Err(parser.unexpected()),
    }
}

impl Parser<'_> {
    fn query(&mut self) -> Result<Query, Refusal> {
        self.expect_word("SELECT")?;
        let select = self.select()?;
        self.expect_word("FROM")?;
        let from = self.name()?;
        let alias = self.alias();
        let filter = if self.accept_word("WHERE") { Some(self.condition()?) } else { None };
        let order = if self.accept_word("ORDER") { self.order()? } else { Vec::new() };
        let limit = if self.accept_word("LIMIT") { Some(self.count()?) } else { None };
        let offset = if self.accept_word("OFFSET") { Some(self.skip()?) } else { None };
        Ok(Query { select, from, alias, filter, order, limit, offset })
    }

    fn select(&mut self) -> Result<Select, Refusal> {
        let counts = self.is_word(0, "COUNT") && self.is_symbol(1, "(") && self.is_symbol(2, ")");
        if counts {
            self.next += 3;
            return Ok(Select::Count);
        }
        let mut fields = vec![self.selected()?];
        while self.accept(",") {
            fields.push(self.selected()?);
        }
        Ok(Select::Fields(fields))
    }

    fn selected(&mut self) -> Result<Selected, Refusal> {
        if self.is_word(0, "FIELDS") && self.is_symbol(1, "(") {
            self.next += 2;
            let group = self.group()?;
            self.expect(")")?;
            return Ok(Selected::Group(group));
        }
        if self.is_symbol(1, "(") || self.is_symbol(0, "(") {
            return Err(self.not_here("functions and subqueries in SELECT"));
        }
        Ok(Selected::Field(self.name()?))
    }

    fn group(&mut self) -> Result<Group, Refusal> {
        for (word, group) in
            [("ALL", Group::All), ("CUSTOM", Group::Custom), ("STANDARD", Group::Standard)]
        {
            if self.accept_word(word) {
                return Ok(group);
            }
        }
        Err(self.unexpected())
    }

    fn alias(&mut self) -> Option<String> {
        self.accept_word("AS");
        let keywords = ["WHERE", "ORDER", "LIMIT", "OFFSET"];
        match self.peek() {
            TokenKind::Word(word)
                if !keywords
                    .iter()
                    .chain(&UNKNOWN_CLAUSES)
                    .any(|k| k.eq_ignore_ascii_case(word)) =>
            {
                let alias = word.clone();
                self.next += 1;
                Some(alias)
            }
            _ => None,
        }
    }

    fn condition(&mut self) -> Result<Condition, Refusal> {
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
        if self.depth > MAX_DEPTH {
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

    fn order(&mut self) -> Result<Vec<Order>, Refusal> {
        self.expect_word("BY")?;
        let mut order = vec![self.ordering()?];
        while self.accept(",") {
            order.push(self.ordering()?);
        }
        Ok(order)
    }

    fn ordering(&mut self) -> Result<Order, Refusal> {
        let field = self.name()?;
        let descending = self.accept_word("DESC");
        if !descending {
            self.accept_word("ASC");
        }
        let mut nulls_last = false;
        if self.accept_word("NULLS") {
            nulls_last = self.accept_word("LAST");
            if !nulls_last {
                self.expect_word("FIRST")?;
            }
        }
        Ok(Order { field, descending, nulls_last })
    }

    fn skip(&mut self) -> Result<usize, Refusal> {
        let offset = self.count()?;
        if offset > MAX_OFFSET {
            let words = "Maximum SOQL offset allowed is 2000";
            return Err(Refusal::new("NUMBER_OUTSIDE_VALID_RANGE", words));
        }
        Ok(offset)
    }

    fn count(&mut self) -> Result<usize, Refusal> {
        match self.peek() {
            TokenKind::Number(number) if number.fract() == 0.0 && *number >= 0.0 => {
                // `as` saturates, and there is no more than the most to give.
                let count = *number as usize;
                self.next += 1;
                Ok(count)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn name(&mut self) -> Result<Name, Refusal> {
        let reserved = [
            "SELECT", "FROM", "WHERE", "ORDER", "LIMIT", "OFFSET", "AND", "OR", "NOT", "IN", "LIKE",
        ];
        match self.peek() {
            TokenKind::Word(word) if !reserved.iter().any(|r| r.eq_ignore_ascii_case(word)) => {
                let name = Name { text: word.clone(), offset: self.offset() };
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn peek(&self) -> &TokenKind {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &TokenKind {
        self.tokens.get(self.next + count).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.next).map_or(self.query.len(), |token| token.offset)
    }

    fn is_word(&self, count: usize, word: &str) -> bool {
        matches!(self.ahead(count), TokenKind::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn is_symbol(&self, count: usize, symbol: &'static str) -> bool {
        *self.ahead(count) == TokenKind::Symbol(symbol)
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        self.next += usize::from(found);
        found
    }

    fn accept(&mut self, symbol: &'static str) -> bool {
        let found = self.is_symbol(0, symbol);
        self.next += usize::from(found);
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<(), Refusal> {
        if self.accept_word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), Refusal> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Refusal {
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
    fn not_here(&self, what: &str) -> Refusal {
        malformed(self.query, self.offset(), format!("salesforce-sim does not know {what}"))
    }
}
