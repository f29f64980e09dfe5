//! A formula as a tree.

use super::function::Function;
use crate::value::Value;

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Literal(Value),
    /// A field by the name that the formula has for it.
    Field(String),
    Negate(Box<Expression>),
    Binary(Operator, Box<(Expression, Expression)>),
    /// `AND`, `OR` and `NOT` are here too, whichever way they were written.
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Concatenate,
    Multiply,
    Divide,
    Power,
}
