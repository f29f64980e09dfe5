//! The operators between two values.

use std::cmp::Ordering;

use super::moment;
use super::tree::Operator;
use crate::value::Value;

pub(super) fn operate(operator: Operator, left: &Value, right: &Value) -> Value {
    let truth = |answer: Option<bool>| answer.map_or(Value::Null, Value::Bool);
    let ordered = |wanted: fn(Ordering) -> bool| truth(order(left, right).map(wanted));
    match operator {
        Operator::Equal => truth(equal(left, right)),
        Operator::NotEqual => truth(equal(left, right).map(|equal| !equal)),
        Operator::Less => ordered(Ordering::is_lt),
        Operator::LessOrEqual => ordered(Ordering::is_le),
        Operator::Greater => ordered(Ordering::is_gt),
        Operator::GreaterOrEqual => ordered(Ordering::is_ge),
        Operator::Add => add(left, right),
        Operator::Subtract => match (left, right) {
            (Value::Text(date), Value::Number(days)) => moment::later(date, -days),
            (Value::Text(end), Value::Text(start)) => moment::days_between(end, start),
            _ => arithmetic(left, right, |left, right| left - right),
        },
        Operator::Concatenate => concatenate(left, right),
        Operator::Multiply => arithmetic(left, right, |left, right| left * right),
        Operator::Divide => arithmetic(left, right, |left, right| left / right),
        Operator::Power => arithmetic(left, right, f64::powf),
    }
}

/// `None`: there is no answer, because a number, a date or a checkbox is compared with nothing.
pub(super) fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        // Texts are never null, so nothing beside a text is an empty one.
        (Value::Text(text), Value::Null) | (Value::Null, Value::Text(text)) => {
            Some(text.is_empty())
        }
        (Value::Null, _) | (_, Value::Null) => None,
        _ => Some(left == right),
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
        // Only dates can be compared in order, and their texts sort as they do.
        (Value::Text(left), Value::Text(right)) if !left.is_empty() && !right.is_empty() => {
            Some(left.cmp(right))
        }
        _ => None,
    }
}

fn add(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::Text(date), Value::Number(days)) | (Value::Number(days), Value::Text(date)) => {
            moment::later(date, *days)
        }
        (Value::Text(_), _) | (_, Value::Text(_)) => concatenate(left, right),
        _ => arithmetic(left, right, |left, right| left + right),
    }
}

fn concatenate(left: &Value, right: &Value) -> Value {
    let mut text = as_text(left);
    text.push_str(&as_text(right));
    Value::Text(text.into())
}

/// The value as `TEXT` writes it.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.as_ref().to_owned(),
    }
}

/// Null if a side is no number, or if there is no result, as of a division by zero.
fn arithmetic(left: &Value, right: &Value, apply: impl Fn(f64, f64) -> f64) -> Value {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => number(apply(*left, *right)),
        _ => Value::Null,
    }
}

/// A number, or null for what is none.
pub(super) fn number(number: f64) -> Value {
    if number.is_finite() { Value::Number(number) } else { Value::Null }
}
