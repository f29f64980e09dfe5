//! The tree that the parser makes.

use crate::flaw::Span;
use crate::value::Value;

/// A part of an expression and where it stands.
#[derive(Debug)]
pub(crate) struct Ast {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// The levels below and with this one, so that whoever walks the tree knows that the stack is enough.
    pub(crate) depth: u16,
}

/// A name and where it stands.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Literal(Value),
    Variable(Name),
    Select(Box<Ast>, Name),
    Index(Box<[Ast; 2]>),
    Call(Call),
    List(Vec<Ast>),
    Map(Vec<(Ast, Ast)>),
    Unary(Unary, Box<Ast>),
    Binary(Binary, Box<[Ast; 2]>),
    /// All that `&&` or `||` stand between: chains of them are long, and flat they cost no depth.
    Logic(Logic, Vec<Ast>),
    Choice(Box<[Ast; 3]>),
}

#[derive(Debug)]
pub(crate) struct Call {
    /// What stands before the dot.
    pub(crate) of: Option<Box<Ast>>,
    pub(crate) name: Name,
    pub(crate) arguments: Vec<Ast>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    /// As it is written.
    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }

    /// What binds tighter is greater.
    pub(crate) const fn precedence(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 2,
            Self::Multiply | Self::Divide | Self::Remainder => 3,
            _ => 1,
        }
    }
}
