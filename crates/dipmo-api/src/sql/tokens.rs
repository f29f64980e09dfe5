//! SQL as a sequence of tokens: just enough to tell a parameter from what only looks like one.
//!
//! The words are those of PostgreSQL, whose quotes and comments are a superset of SQLite's but for
//! names in brackets.

use super::problem::{Place, SqlProblem};

/// What stands at a place, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword or a name without quotes.
    Word,
    /// `:name`.
    Parameter,
    /// A parameter of a database's own, such as `$1` or `?1`.
    Foreign,
    Semicolon,
    Open,
    Close,
    /// A text, a quoted name, a number, an operator.
    Other,
}

/// The tokens of a text; white space and comments are passed over.
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Where something that begins here and has an end ends: behind that.
    fn closed(&mut self, what: &str, skip: usize, end: &[u8]) -> Result<(), SqlProblem> {
        let from = self.at + skip;
        let rest = self.text.get(from..).unwrap_or_default();
        let Some(found) = rest.windows(end.len()).position(|part| part == end) else {
            return Err(self.endless(what));
        };
        self.at = from + found + end.len();
        Ok(())
    }

    fn endless(&mut self, what: &str) -> SqlProblem {
        let start = std::mem::replace(&mut self.at, self.text.len());
        SqlProblem::at(Place { start, end: self.at }, format!("{what} has no end"))
    }

    /// A text or a name in quotes. A quote that is doubled is inside, as is one behind a backslash
    /// where that means something.
    fn quoted(&mut self, what: &str, escapes: bool) -> Result<(), SqlProblem> {
        let (start, quote) = (self.at, self.byte(0));
        self.at += 1;
        while self.at < self.text.len() {
            match self.byte(0) {
                b'\\' if escapes => self.at += 2,
                byte if byte == quote && self.byte(1) == quote => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    return Ok(());
                }
                _ => self.at += 1,
            }
        }
        self.at = start;
        Err(self.endless(what))
    }

    /// Comments of this kind are nested.
    fn comment(&mut self) -> Result<(), SqlProblem> {
        let (start, mut depth) = (self.at, 0);
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => (depth, self.at) = (depth + 1, self.at + 2),
                (b'*', b'/') => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return Ok(());
            }
        }
        self.at = start;
        Err(self.endless("a comment"))
    }

    fn while_byte(&mut self, goes_on: fn(u8) -> bool) {
        while self.at < self.text.len() && goes_on(self.byte(0)) {
            self.at += 1;
        }
    }

    /// `$1`, `$tag$ … $tag$`, or a dollar.
    fn dollar(&mut self) -> Result<Token, SqlProblem> {
        let start = self.at;
        self.at += 1;
        if self.byte(0).is_ascii_digit() {
            self.while_byte(|byte| byte.is_ascii_digit());
            return Ok(Token::Foreign);
        }
        self.while_byte(|byte| goes_on(byte) && byte != b'$');
        if self.byte(0) != b'$' {
            return Ok(if self.at > start + 1 { Token::Foreign } else { Token::Other });
        }
        let tag = &self.text[start..=self.at];
        self.at = start;
        self.closed("a text in dollar quotes", tag.len(), tag).map(|()| Token::Other)
    }

    fn token(&mut self) -> Result<Token, SqlProblem> {
        match (self.byte(0), self.byte(1)) {
            (b'\'', _) => self.quoted("a text", false).map(|()| Token::Other),
            (b'e' | b'E', b'\'') => {
                self.at += 1;
                self.quoted("a text", true).map(|()| Token::Other)
            }
            (b'"', _) => self.quoted("a name in quotes", false).map(|()| Token::Other),
            (b'$', _) => self.dollar(),
            (b'?', next) if next.is_ascii_digit() => {
                self.at += 1;
                self.while_byte(|byte| byte.is_ascii_digit());
                Ok(Token::Foreign)
            }
            (b':', b':') => Ok(self.one(2, Token::Other)),
            (b':', next) if next.is_ascii_alphabetic() || next == b'_' => {
                self.at += 1;
                self.while_byte(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                Ok(Token::Parameter)
            }
            (b';', _) => Ok(self.one(1, Token::Semicolon)),
            (b'(', _) => Ok(self.one(1, Token::Open)),
            (b')', _) => Ok(self.one(1, Token::Close)),
            (byte, _) if begins(byte) => {
                self.while_byte(goes_on);
                Ok(Token::Word)
            }
            (byte, _) if byte.is_ascii_digit() => {
                self.while_byte(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
                Ok(Token::Other)
            }
            _ => Ok(self.one(1, Token::Other)),
        }
    }

    const fn one(&mut self, length: usize, token: Token) -> Token {
        self.at += length;
        token
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<(Token, Place), SqlProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (byte, _) if byte.is_ascii_whitespace() => self.at += 1,
                (b'-', b'-') => self.while_byte(|byte| byte != b'\n'),
                (b'/', b'*') => {
                    if let Err(problem) = self.comment() {
                        return Some(Err(problem));
                    }
                }
                _ => {
                    let start = self.at;
                    return Some(self.token().map(|token| (token, Place { start, end: self.at })));
                }
            }
        }
        None
    }
}

/// A letter of a word; all that is not ASCII is one.
const fn begins(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// PostgreSQL has dollars inside of names: `a$b$` begins no text.
const fn goes_on(byte: u8) -> bool {
    begins(byte) || byte.is_ascii_digit() || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(text: &str) -> Vec<&str> {
        let tokens = Tokens::of(text).map(Result::unwrap);
        let parameters = tokens.filter(|(token, _)| *token == Token::Parameter);
        parameters.map(|(_, place)| &text[place.start..place.end]).collect()
    }

    #[test]
    fn a_parameter_is_found_wherever_a_value_may_stand() {
        for (text, found) in [
            ("a = :b", vec![":b"]),
            ("a=:b and(:c)", vec![":b", ":c"]),
            ("a between :from and :to_2;", vec![":from", ":to_2"]),
            ("f(:a,:a)", vec![":a", ":a"]),
            ("é = :b", vec![":b"]),
            (":b::text", vec![":b"]),
            ("x[1]:b", vec![":b"]),
        ] {
            assert_eq!(parameters(text), found, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_parameter_is_none() {
        for text in [
            "':a'",
            "'it''s :a'",
            "e'it\\'s :a'",
            "E'\\\\''  :a'",
            "\"a:b\"",
            "\"a\"\":b\"",
            "a -- :a\n",
            "a -- :a",
            "/* :a */",
            "/* /* */ :a */",
            "a::text",
            "a ::text",
            "$$ :a $$",
            "$q$ :a $$ :b $q$",
            "f(a := 1)",
            "a : b",
            "'é:a'",
        ] {
            assert_eq!(parameters(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn what_follows_a_quote_or_a_comment_is_seen_again() {
        for text in [
            "'a' :a",
            "'a\\' :a",
            "E'\\'' :a",
            "type'\\' :a",
            "\"x\":a",
            "-- c\n:a",
            "/* c */:a",
            "$$ $$:a",
            "$x$ $x$ :a",
            "a$b$ :a -- $b$",
            "a::varchar(3):a",
        ] {
            assert_eq!(parameters(text), [":a"], "{text}");
        }
    }

    #[test]
    fn what_has_no_end_is_said_with_its_place() {
        for (text, what) in [
            ("a 'b", "a text"),
            ("a E'b\\'", "a text"),
            ("a \"b", "a name in quotes"),
            ("a /* b /* */", "a comment"),
            ("a $x$ b $y$", "a text in dollar quotes"),
        ] {
            let problem = Tokens::of(text).find_map(Result::err).unwrap();
            assert_eq!(problem.problem, format!("{what} has no end"), "{text}");
            assert_eq!(problem.place.unwrap().end, text.len());
            assert!((2..=3).contains(&problem.place.unwrap().start), "{text}");
        }
    }

    #[test]
    fn placeholders_of_a_database_are_told_apart() {
        let foreign = |text| Tokens::of(text).any(|token| token.unwrap().0 == Token::Foreign);
        assert!(foreign("a = $1") && foreign("a = ?1") && foreign("a = $name"));
        assert!(!foreign("a ? 'b'") && !foreign("$$1$$") && !foreign("a$1"));
    }

    #[test]
    fn no_text_makes_it_hang_or_panic() {
        let bits = ["'", "\"", "$", "$a$", ":", "a", "/*", "*/", "--", "\n", "\\", "E'", "é", ";"];
        for first in bits {
            for second in bits {
                for third in bits {
                    let text = format!("{first}{second}{third}");
                    let places = Tokens::of(&text).flatten().map(|(_, place)| place);
                    assert!(places.into_iter().all(|place| place.end <= text.len()), "{text}");
                }
            }
        }
    }
}
