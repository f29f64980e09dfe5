//! Tokens become a tree.
//!
//! Deeper than [`MAX_DEPTH`] no tree is, because evaluating it is recursive: a schema must not be
//! able to end the process.

use super::error::FormulaError;
use super::function::Function;
use super::lexer::{Token, TokenKind, tokens};
use super::tree::{Expression, Operator};
use crate::value::Value;

/// Salesforce takes formulas up to this long.
const MAX_LENGTH: usize = 5000;
const MAX_DEPTH: usize = 100;

/// A part of the tree, and how many levels it has.
struct Node {
    expression: Expression,
    depth: usize,
}

enum Infix {
    Plain(Operator),
    /// `&&` and `||` make one long call out of a chain, so that a chain is not deep.
    Logical(Function),
}

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    nested: usize,
    fields: Vec<String>,
}

/// The tree, and the fields that it names.
pub(super) fn parse(text: &str) -> Result<(Expression, Vec<String>), FormulaError> {
    if text.chars().count() > MAX_LENGTH {
        let problem = format!("the formula is longer than {MAX_LENGTH} characters");
        return Err(FormulaError::at(text, 0, problem));
    }
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, nested: 0, fields: Vec::new() };
    let node = parser.expression(0)?;
    match parser.peek() {
        TokenKind::End => Ok((node.expression, parser.fields)),
        _ => Err(parser.unexpected("an operator or the end of the formula")),
    }
}

impl Parser<'_> {
    fn expression(&mut self, loosest: u8) -> Result<Node, FormulaError> {
        let mut left = self.operand()?;
        while let Some((infix, binding)) = infix(self.peek()) {
            if binding < loosest {
                break;
            }
            let offset = self.offset();
            self.next += 1;
            let right = self.nest(|parser| parser.expression(binding + 1))?;
            left = join(infix, left, right);
            self.check_depth(left.depth, offset)?;
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Node, FormulaError> {
        let offset = self.offset();
        let leaf = |value| Ok(Node { expression: Expression::Literal(value), depth: 1 });
        match self.take() {
            TokenKind::Number(number) => leaf(Value::Number(number)),
            TokenKind::Text(text) => leaf(Value::Text(text.into())),
            TokenKind::Name(name) if self.accept("(") => self.call(&name, offset),
            TokenKind::Name(name) => match name.to_ascii_uppercase().as_str() {
                "TRUE" => leaf(Value::Bool(true)),
                "FALSE" => leaf(Value::Bool(false)),
                "NULL" => leaf(Value::Null),
                _ => self.field(name, offset),
            },
            TokenKind::Symbol("(") => {
                let node = self.nest(|parser| parser.expression(0))?;
                self.expect(")")?;
                Ok(node)
            }
            TokenKind::Symbol("!") => {
                let node = self.nest(Self::operand)?;
                Ok(Node {
                    depth: node.depth + 1,
                    expression: Expression::Call(Function::Not, vec![node.expression]),
                })
            }
            TokenKind::Symbol("-") => {
                let node = self.nest(Self::operand)?;
                Ok(Node {
                    depth: node.depth + 1,
                    expression: Expression::Negate(Box::new(node.expression)),
                })
            }
            TokenKind::Symbol("+") => self.nest(Self::operand),
            TokenKind::Symbol(_) | TokenKind::End => {
                self.next = self.next.saturating_sub(1);
                Err(self.unexpected("a field, a function, a text, a number or \"(\""))
            }
        }
    }

    fn field(&mut self, name: String, offset: usize) -> Result<Node, FormulaError> {
        if name.starts_with('$') {
            let problem = format!("global variables such as {name} are not known here");
            return Err(FormulaError::at(self.text, offset, problem));
        }
        if !self.fields.contains(&name) {
            self.fields.push(name.clone());
        }
        Ok(Node { expression: Expression::Field(name), depth: 1 })
    }

    fn call(&mut self, name: &str, offset: usize) -> Result<Node, FormulaError> {
        let wrong = |text, problem| FormulaError::at(text, offset, problem);
        let function = Function::named(name).map_err(|problem| wrong(self.text, problem))?;
        let mut arguments = Vec::new();
        let mut depth = 0;
        if !self.accept(")") {
            loop {
                let node = self.nest(|parser| parser.expression(0))?;
                depth = depth.max(node.depth);
                arguments.push(node.expression);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        function.check(arguments.len()).map_err(|problem| wrong(self.text, problem))?;
        if function.wants_field() && !matches!(arguments.as_slice(), [Expression::Field(_)]) {
            return Err(wrong(self.text, format!("{name} takes the name of a field")));
        }
        self.check_depth(depth + 1, offset)?;
        Ok(Node { expression: Expression::Call(function, arguments), depth: depth + 1 })
    }

    fn nest(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Node, FormulaError>,
    ) -> Result<Node, FormulaError> {
        self.nested += 1;
        self.check_depth(self.nested, self.offset())?;
        let node = inner(self);
        self.nested -= 1;
        node
    }

    fn check_depth(&self, depth: usize, offset: usize) -> Result<(), FormulaError> {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        let problem = format!("the formula is nested more than {MAX_DEPTH} levels deep");
        Err(FormulaError::at(self.text, offset, problem))
    }

    fn peek(&self) -> &TokenKind {
        self.tokens.get(self.next).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |token| token.offset)
    }

    fn take(&mut self) -> TokenKind {
        let kind = self.peek().clone();
        self.next += 1;
        kind
    }

    fn accept(&mut self, symbol: &'static str) -> bool {
        let found = *self.peek() == TokenKind::Symbol(symbol);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), FormulaError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected(&format!("{symbol:?}"))) }
    }

    fn unexpected(&self, wanted: &str) -> FormulaError {
        let found = match self.peek() {
            TokenKind::Number(number) => number.to_string(),
            TokenKind::Text(text) => format!("the text {text:?}"),
            TokenKind::Name(name) => name.clone(),
            TokenKind::Symbol(symbol) => format!("{symbol:?}"),
            TokenKind::End => "the end of the formula".to_owned(),
        };
        let problem = format!("expected {wanted}, found {found}");
        FormulaError::at(self.text, self.offset(), problem)
    }
}

/// The operator of a token, and how tightly it binds.
fn infix(token: &TokenKind) -> Option<(Infix, u8)> {
    let TokenKind::Symbol(symbol) = token else { return None };
    let plain = |operator, binding| Some((Infix::Plain(operator), binding));
    match *symbol {
        "||" => Some((Infix::Logical(Function::Or), 0)),
        "&&" => Some((Infix::Logical(Function::And), 1)),
        "=" | "==" => plain(Operator::Equal, 2),
        "<>" | "!=" => plain(Operator::NotEqual, 2),
        "<" => plain(Operator::Less, 3),
        "<=" => plain(Operator::LessOrEqual, 3),
        ">" => plain(Operator::Greater, 3),
        ">=" => plain(Operator::GreaterOrEqual, 3),
        "+" => plain(Operator::Add, 4),
        "-" => plain(Operator::Subtract, 4),
        "&" => plain(Operator::Concatenate, 4),
        "*" => plain(Operator::Multiply, 5),
        "/" => plain(Operator::Divide, 5),
        "^" => plain(Operator::Power, 6),
        _ => None,
    }
}

fn join(infix: Infix, left: Node, right: Node) -> Node {
    match (infix, left.expression) {
        (Infix::Logical(function), Expression::Call(chained, mut arguments))
            if chained == function =>
        {
            arguments.push(right.expression);
            Node {
                depth: left.depth.max(right.depth + 1),
                expression: Expression::Call(function, arguments),
            }
        }
        (Infix::Logical(function), expression) => Node {
            depth: left.depth.max(right.depth) + 1,
            expression: Expression::Call(function, vec![expression, right.expression]),
        },
        (Infix::Plain(operator), expression) => Node {
            depth: left.depth.max(right.depth) + 1,
            expression: Expression::Binary(operator, Box::new((expression, right.expression))),
        },
    }
}
