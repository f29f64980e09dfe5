//! What a formula gives for a record.
//!
//! Here are the functions that look at the record, or that do not look at all their arguments.

use super::function::Function;
use super::operator::{equal, operate};
use super::tree::Expression;
use super::{Subject, apply, moment};
use crate::value::Value;

pub(super) fn evaluate(expression: &Expression, subject: &dyn Subject) -> Value {
    match expression {
        Expression::Literal(value) => value.clone(),
        Expression::Field(name) => subject.value(name),
        Expression::Negate(inner) => match evaluate(inner, subject) {
            Value::Number(number) => Value::Number(-number),
            Value::Null | Value::Bool(_) | Value::Text(_) => Value::Null,
        },
        Expression::Binary(operator, sides) => {
            operate(*operator, &evaluate(&sides.0, subject), &evaluate(&sides.1, subject))
        }
        Expression::Call(function, arguments) => call(*function, arguments, subject),
    }
}

fn call(function: Function, arguments: &[Expression], subject: &dyn Subject) -> Value {
    let is_true = |argument| evaluate(argument, subject) == Value::Bool(true);
    match (function, arguments) {
        // A null counts as false in these two, but NOT of a null is null.
        (Function::And, _) => Value::Bool(arguments.iter().all(is_true)),
        (Function::Or, _) => Value::Bool(arguments.iter().any(is_true)),
        (Function::If, [condition, yes, no]) => {
            evaluate(if is_true(condition) { yes } else { no }, subject)
        }
        (Function::Case, [value, pairs @ .., otherwise]) => case(value, pairs, otherwise, subject),
        (Function::IsNew, _) => Value::Bool(subject.is_new()),
        (Function::IsChanged, [Expression::Field(name)]) => {
            // A new record has no value that could have changed.
            let changed = subject.prior(name).is_some_and(|prior| prior != subject.value(name));
            Value::Bool(changed)
        }
        (Function::PriorValue, [Expression::Field(name)]) => {
            subject.prior(name).unwrap_or_else(|| subject.value(name))
        }
        (Function::Today, _) => moment::today(subject.now()),
        (Function::Now, _) => moment::write_time(subject.now()),
        _ => {
            let values: Vec<Value> =
                arguments.iter().map(|argument| evaluate(argument, subject)).collect();
            apply::apply(function, &values)
        }
    }
}

fn case(
    value: &Expression,
    pairs: &[Expression],
    otherwise: &Expression,
    subject: &dyn Subject,
) -> Value {
    let value = evaluate(value, subject);
    for pair in pairs.chunks_exact(2) {
        let candidate = evaluate(&pair[0], subject);
        // Unlike the operator, a null fits a null here.
        if value == candidate || equal(&value, &candidate) == Some(true) {
            return evaluate(&pair[1], subject);
        }
    }
    evaluate(otherwise, subject)
}
