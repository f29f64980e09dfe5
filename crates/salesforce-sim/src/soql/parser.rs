//! Tokens become a query.

use super::lexer::TokenKind;
use super::stream::{Parser, UNKNOWN_CLAUSES};
use super::tree::{Counted, Group, Name, Order, Query, Select, Selected};
use crate::refusal::Refusal;

/// Salesforce takes queries up to this long.
const MAX_LENGTH: usize = 100_000;
const MAX_OFFSET: usize = 2000;

pub(super) fn parse(query: &str) -> Result<Query, Refusal> {
    if query.trim().is_empty() {
        return Err(Refusal::new("MALFORMED_QUERY", "A query string has to be specified"));
    }
    if query.chars().count() > MAX_LENGTH {
        let words = "SOQL statements cannot be longer than 100000 characters.";
        return Err(Refusal::new("MALFORMED_QUERY", words));
    }
    let mut parser = Parser::new(query)?;
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
        if self.is_word(0, "COUNT") && self.is_symbol(1, "(") {
            return self.counts();
        }
        let mut fields = vec![self.selected()?];
        while self.accept(",") {
            fields.push(self.selected()?);
        }
        Ok(Select::Fields(fields))
    }

    fn counts(&mut self) -> Result<Select, Refusal> {
        let mut counts = Vec::new();
        loop {
            self.expect_word("COUNT")?;
            self.expect("(")?;
            let field = self.name()?;
            self.expect(")")?;
            let alias = if self.is_word(0, "FROM") || self.is_symbol(0, ",") {
                None
            } else {
                Some(self.name()?.text)
            };
            counts.push(Counted { field, alias });
            if !self.accept(",") {
                return Ok(Select::Counts(counts));
            }
        }
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

    pub(super) fn name(&mut self) -> Result<Name, Refusal> {
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
}
