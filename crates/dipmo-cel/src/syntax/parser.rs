//! From words to a tree, by precedence.

use super::ast::{Ast, Binary, Call, Kind, Logic, Name, Unary};
use super::lexer::{Token, words};
use crate::flaw::{Flaw, Span};
use crate::value::Value;

/// An expression that is longer than this is a program, and belongs elsewhere.
const LONGEST: usize = 8 * 1024;
/// Brackets within brackets.
const NESTING: u16 = 64;
/// Levels of the tree: chains such as `a + b + c` and `a.b.c` have a level for each link.
const DEPTH: u16 = 160;
/// Elements of a list or a map that is written out, and arguments.
const ELEMENTS: usize = 1_000;

/// Words of CEL that name nothing.
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];
const KEYWORDS: [&str; 4] = ["true", "false", "null", "in"];

/// The tree of a source.
pub(crate) fn parse(source: &str) -> Result<Ast, Flaw> {
    if source.len() > LONGEST {
        return Err(Span::new(0, 0).flaw(format!("this is longer than {LONGEST} bytes")));
    }
    let mut parser = Parser { words: words(source)?, at: 0, nesting: 0 };
    let ast = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(ast),
        _ => Err(parser.unexpected("the end")),
    }
}

struct Parser<'s> {
    words: Vec<(Token<'s>, Span)>,
    at: usize,
    nesting: u16,
}

type Parsed = Result<Ast, Flaw>;

impl<'s> Parser<'s> {
    fn peek(&self) -> &Token<'s> {
        &self.words[self.at].0
    }

    fn span(&self) -> Span {
        self.words[self.at].1
    }

    /// The next word. The end stays where it is.
    fn next(&mut self) -> (Token<'s>, Span) {
        let word = self.words[self.at].clone();
        self.at = (self.at + 1).min(self.words.len() - 1);
        word
    }

    fn take(&mut self, sign: &str) -> Option<Span> {
        let there = matches!(self.peek(), Token::Sign(found) if *found == sign);
        there.then(|| self.next().1)
    }

    fn want(&mut self, sign: &str) -> Result<Span, Flaw> {
        self.take(sign).ok_or_else(|| self.unexpected(&format!("`{sign}`")))
    }

    fn unexpected(&self, wanted: &str) -> Flaw {
        let found = match self.peek() {
            Token::End => "the expression ends here".to_owned(),
            Token::Sign(sign) => format!("here is `{sign}`"),
            Token::Name(name) => format!("here is `{name}`"),
            Token::Number(_) | Token::Literal(_) => "here is a value".to_owned(),
        };
        self.span().flaw(format!("{found}, and {wanted} is wanted"))
    }

    fn expression(&mut self) -> Parsed {
        self.nesting += 1;
        if self.nesting > NESTING {
            return Err(self.span().flaw(format!("this is nested deeper than {NESTING} levels")));
        }
        let condition = self.logic(Logic::Or)?;
        let ast = if self.take("?").is_some() {
            let yes = self.logic(Logic::Or)?;
            self.want(":")?;
            let no = self.expression()?;
            let span = condition.span.to(no.span);
            node(Kind::Choice(Box::new([condition, yes, no])), span)?
        } else {
            condition
        };
        self.nesting -= 1;
        Ok(ast)
    }

    fn logic(&mut self, logic: Logic) -> Parsed {
        let (sign, below) = match logic {
            Logic::Or => ("||", Some(Logic::And)),
            Logic::And => ("&&", None),
        };
        let mut parts = Vec::new();
        loop {
            parts.push(match below {
                Some(below) => self.logic(below)?,
                None => self.binary(1)?,
            });
            if self.take(sign).is_none() {
                break;
            }
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        if parts.len() > 1 { node(Kind::Logic(logic, parts), span) } else { Ok(parts.remove(0)) }
    }

    /// Operators from this precedence on, each with what binds tighter on both sides.
    fn binary(&mut self, precedence: u8) -> Parsed {
        let mut left =
            if precedence > 3 { return self.unary() } else { self.binary(precedence + 1)? };
        while let Some(operator) =
            binary_of(self.peek()).filter(|found| found.precedence() == precedence)
        {
            self.next();
            let right = self.binary(precedence + 1)?;
            let span = left.span.to(right.span);
            left = node(Kind::Binary(operator, Box::new([left, right])), span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let start = self.span();
        let (sign, unary) = match self.peek() {
            Token::Sign("!") => ("!", Unary::Not),
            Token::Sign("-") => ("-", Unary::Negate),
            _ => return self.member(false),
        };
        let mut count = 0;
        while self.take(sign).is_some() {
            count += 1;
        }
        // The sign of a number belongs to it: the least of all has no positive twin.
        let signed = unary == Unary::Negate && matches!(self.peek(), Token::Number(_));
        count -= usize::from(signed);
        let mut ast = self.member(signed)?;
        for _ in 0..count {
            let span = start.to(ast.span);
            ast = node(Kind::Unary(unary, Box::new(ast)), span)?;
        }
        Ok(ast)
    }

    fn member(&mut self, negative: bool) -> Parsed {
        let mut ast = self.primary(negative)?;
        loop {
            if self.take(".").is_some() {
                let name = self.name(&KEYWORDS)?;
                ast = if self.take("(").is_some() {
                    self.call(Some(ast), name)?
                } else {
                    let span = ast.span.to(name.span);
                    node(Kind::Select(Box::new(ast), name), span)?
                };
            } else if self.take("[").is_some() {
                let index = self.expression()?;
                let span = ast.span.to(self.want("]")?);
                ast = node(Kind::Index(Box::new([ast, index])), span)?;
            } else {
                return Ok(ast);
            }
        }
    }

    fn name(&mut self, refused: &[&str]) -> Result<Name, Flaw> {
        match *self.peek() {
            Token::Name(text) if !refused.contains(&text) => {
                let (_, span) = self.next();
                Ok(Name { text: text.to_owned(), span })
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn call(&mut self, of: Option<Ast>, name: Name) -> Parsed {
        let (arguments, end) = self.elements(")", false, Self::expression)?;
        let span = of.as_ref().map_or(name.span, |of| of.span).to(end);
        node(Kind::Call(Call { of: of.map(Box::new), name, arguments }), span)
    }

    /// What stands between commas, up to a bracket.
    fn elements<T>(
        &mut self,
        end: &str,
        trailing: bool,
        mut element: impl FnMut(&mut Self) -> Result<T, Flaw>,
    ) -> Result<(Vec<T>, Span), Flaw> {
        let mut elements = Vec::new();
        if let Some(span) = self.take(end) {
            return Ok((elements, span));
        }
        loop {
            if elements.len() == ELEMENTS {
                return Err(self.span().flaw(format!("there are more than {ELEMENTS} elements")));
            }
            elements.push(element(self)?);
            let more = self.take(",").is_some();
            if !more || trailing && matches!(self.peek(), Token::Sign(sign) if *sign == end) {
                return Ok((elements, self.want(end)?));
            }
        }
    }

    fn primary(&mut self, negative: bool) -> Parsed {
        let span = self.span();
        match self.peek().clone() {
            Token::Number(number) => {
                let span = if negative { self.words[self.at - 1].1.to(span) } else { span };
                self.next();
                let number = if negative {
                    0i64.checked_sub_unsigned(number)
                } else {
                    i64::try_from(number).ok()
                };
                let number = number.ok_or_else(|| span.flaw("this number is too large"))?;
                node(Kind::Literal(Value::Int(number)), span)
            }
            Token::Literal(value) => {
                self.next();
                node(Kind::Literal(value), span)
            }
            Token::Name(word) => self.word(word, span),
            Token::Sign("(") => {
                self.next();
                let inner = self.expression()?;
                let span = span.to(self.want(")")?);
                Ok(Ast { span, ..inner })
            }
            Token::Sign("[") => {
                self.next();
                let (elements, end) = self.elements("]", true, Self::expression)?;
                node(Kind::List(elements), span.to(end))
            }
            Token::Sign("{") => {
                self.next();
                let (entries, end) = self.elements("}", true, |parser| {
                    let key = parser.expression()?;
                    parser.want(":")?;
                    Ok((key, parser.expression()?))
                })?;
                node(Kind::Map(entries), span.to(end))
            }
            Token::Sign(_) | Token::End => Err(self.unexpected("a value")),
        }
    }

    fn word(&mut self, word: &str, span: Span) -> Parsed {
        if RESERVED.contains(&word) {
            return Err(span.flaw(format!("`{word}` is a reserved word of CEL and no name")));
        }
        let literal = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => {
                let name = self.name(&KEYWORDS)?;
                return if self.take("(").is_some() {
                    self.call(None, name)
                } else {
                    node(Kind::Variable(name), span)
                };
            }
        };
        self.next();
        node(Kind::Literal(literal), span)
    }
}

fn binary_of(token: &Token<'_>) -> Option<Binary> {
    Some(match token {
        Token::Sign("==") => Binary::Equal,
        Token::Sign("!=") => Binary::NotEqual,
        Token::Sign("<") => Binary::Less,
        Token::Sign("<=") => Binary::LessOrEqual,
        Token::Sign(">") => Binary::Greater,
        Token::Sign(">=") => Binary::GreaterOrEqual,
        Token::Name("in") => Binary::In,
        Token::Sign("+") => Binary::Add,
        Token::Sign("-") => Binary::Subtract,
        Token::Sign("*") => Binary::Multiply,
        Token::Sign("/") => Binary::Divide,
        Token::Sign("%") => Binary::Remainder,
        _ => return None,
    })
}

/// A node one level above the deepest below it.
fn node(kind: Kind, span: Span) -> Parsed {
    let deepest =
        |parts: &mut dyn Iterator<Item = &Ast>| parts.map(|part| part.depth).max().unwrap_or(0);
    let below = match &kind {
        Kind::Literal(_) | Kind::Variable(_) => 0,
        Kind::Select(of, _) | Kind::Unary(_, of) => of.depth,
        Kind::Index(parts) | Kind::Binary(_, parts) => deepest(&mut parts.iter()),
        Kind::Call(call) => deepest(&mut call.of.as_deref().into_iter().chain(&call.arguments)),
        Kind::List(parts) | Kind::Logic(_, parts) => deepest(&mut parts.iter()),
        Kind::Map(entries) => deepest(&mut entries.iter().flat_map(|(key, value)| [key, value])),
        Kind::Choice(parts) => deepest(&mut parts.iter()),
    };
    if below >= DEPTH {
        return Err(span.flaw(format!("more than {DEPTH} operations depend on each other here")));
    }
    Ok(Ast { kind, span, depth: below + 1 })
}

#[cfg(test)]
mod tests;
