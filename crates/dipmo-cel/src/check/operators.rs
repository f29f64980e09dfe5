//! What operators take, and what they give.

use super::{Checker, Typed, typed};
use crate::flaw::Span;
use crate::node::Op;
use crate::syntax::ast::{Ast, Binary};
use crate::types::Type;

/// Left, right, and what comes of it.
type Row = (Type, Type, Type);

const SUMS: [Row; 8] = [
    (Type::Int, Type::Int, Type::Int),
    (Type::Uint, Type::Uint, Type::Uint),
    (Type::Double, Type::Double, Type::Double),
    (Type::String, Type::String, Type::String),
    (Type::Bytes, Type::Bytes, Type::Bytes),
    (Type::Timestamp, Type::Duration, Type::Timestamp),
    (Type::Duration, Type::Timestamp, Type::Timestamp),
    (Type::Duration, Type::Duration, Type::Duration),
];

const DIFFERENCES: [Row; 6] = [
    (Type::Int, Type::Int, Type::Int),
    (Type::Uint, Type::Uint, Type::Uint),
    (Type::Double, Type::Double, Type::Double),
    (Type::Timestamp, Type::Duration, Type::Timestamp),
    (Type::Timestamp, Type::Timestamp, Type::Duration),
    (Type::Duration, Type::Duration, Type::Duration),
];

const PRODUCTS: [Row; 3] = [
    (Type::Int, Type::Int, Type::Int),
    (Type::Uint, Type::Uint, Type::Uint),
    (Type::Double, Type::Double, Type::Double),
];

const REMAINDERS: [Row; 2] =
    [(Type::Int, Type::Int, Type::Int), (Type::Uint, Type::Uint, Type::Uint)];

impl Checker<'_> {
    pub(super) fn negate(&mut self, of: &Ast, span: Span) -> Typed {
        let of = self.lower(of);
        match of.ty.bare() {
            Type::Int | Type::Double | Type::Dyn => {
                let ty = of.ty.bare().clone();
                typed(Op::Negate(Box::new(of.node)), span, ty)
            }
            other => {
                let flaw = span.flaw(format!("`-` does not take {}", other.with_article()));
                self.flawed(span, flaw)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &Ast,
        right: &Ast,
        span: Span,
    ) -> Typed {
        let (left, right) = (self.lower(left), self.lower(right));
        let Some(ty) = result(operator, left.ty.bare(), right.ty.bare()) else {
            let (left, right) = (left.ty.bare(), right.ty.bare());
            let [a, b] = [left, right].map(Type::with_article);
            let mut flaw = span.flaw(format!("`{}` does not take {a} and {b}", operator.sign()));
            flaw.hint = hint(operator, left, right);
            return self.flawed(span, flaw);
        };
        typed(Op::Binary(operator, Box::new([left.node, right.node])), span, ty)
    }
}

/// `None` if it does not take these.
fn result(operator: Binary, left: &Type, right: &Type) -> Option<Type> {
    match operator {
        Binary::Equal | Binary::NotEqual => comparable(left, right).then_some(Type::Bool),
        Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => {
            ordered(left, right).then_some(Type::Bool)
        }
        Binary::In => contained(left, right).then_some(Type::Bool),
        Binary::Add => match (left, right) {
            (Type::List(a), Type::List(b)) => Some(Type::list(a.join(b))),
            (Type::List(_), Type::Dyn) | (Type::Dyn, Type::List(_)) => Some(Type::list(Type::Dyn)),
            _ => look_up(&SUMS, left, right),
        },
        Binary::Subtract => look_up(&DIFFERENCES, left, right),
        Binary::Multiply | Binary::Divide => look_up(&PRODUCTS, left, right),
        Binary::Remainder => look_up(&REMAINDERS, left, right),
    }
}

/// What all rows give that these types could be.
fn look_up(rows: &[Row], left: &Type, right: &Type) -> Option<Type> {
    let could_be = |ty: &Type, row: &Type| *ty == Type::Dyn || ty == row;
    let mut found =
        rows.iter().filter(|(a, b, _)| could_be(left, a) && could_be(right, b)).map(|(.., ty)| ty);
    let first = found.next()?;
    Some(if found.all(|ty| ty == first) { first.clone() } else { Type::Dyn })
}

fn comparable(left: &Type, right: &Type) -> bool {
    matches!(left, Type::Null)
        || matches!(right, Type::Null)
        || both_numbers(left, right)
        || could_meet(left, right)
}

/// Whether values of both could be of one type.
fn could_meet(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::List(a), Type::List(b)) => comparable(a.bare(), b.bare()),
        (Type::Map(_) | Type::Object(_), Type::Map(_) | Type::Object(_)) => true,
        _ => left.fits(right) || right.fits(left),
    }
}

fn ordered(left: &Type, right: &Type) -> bool {
    let has_order =
        |ty: &Type| !matches!(ty, Type::Null | Type::List(_) | Type::Map(_) | Type::Object(_));
    has_order(left) && has_order(right) && (both_numbers(left, right) || left.fits(right))
}

fn contained(left: &Type, right: &Type) -> bool {
    match right {
        Type::Dyn => true,
        Type::List(of) => comparable(left, of.bare()),
        Type::Map(_) | Type::Object(_) => left.fits(&Type::String),
        _ => false,
    }
}

fn both_numbers(left: &Type, right: &Type) -> bool {
    [left, right].iter().all(|ty| matches!(ty, Type::Int | Type::Uint | Type::Double | Type::Dyn))
}

fn hint(operator: Binary, left: &Type, right: &Type) -> Option<String> {
    let number = |ty: &Type| matches!(ty, Type::Int | Type::Uint | Type::Double);
    match (operator, left, right) {
        (Binary::Add, Type::String, other) | (Binary::Add, other, Type::String)
            if number(other) =>
        {
            Some("`string(…)` makes text of a number".to_owned())
        }
        (Binary::In, _, Type::String) => Some("`text.contains(part)` looks into text".to_owned()),
        (Binary::Remainder, ..) => None,
        (_, Type::Double, other) | (_, other, Type::Double)
            if number(other) && *other != Type::Double =>
        {
            Some(format!("`double(…)` makes a double of {}", other.with_article()))
        }
        (_, Type::Timestamp, Type::String) | (_, Type::String, Type::Timestamp) => {
            Some("`timestamp(…)` makes a time of text".to_owned())
        }
        (_, Type::Duration, Type::String) | (_, Type::String, Type::Duration) => {
            Some("`duration(…)` makes a duration of text".to_owned())
        }
        _ => None,
    }
}
