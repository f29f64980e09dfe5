//! `+`, `-`, `*`, `/` and `%`. What does not fit into its type is a failure, never another number.

use std::sync::Arc;

use crate::flaw::Trouble;
use crate::fuel::Fuel;
use crate::syntax::ast::Binary;
use crate::value::{Value, time};

pub(super) fn calculate(
    operator: Binary,
    left: &Value,
    right: &Value,
    fuel: &mut Fuel,
) -> Result<Value, Trouble> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => ints(operator, *a, *b).map(Value::Int),
        (Value::Uint(a), Value::Uint(b)) => uints(operator, *a, *b).map(Value::Uint),
        (Value::Double(a), Value::Double(b)) => doubles(operator, *a, *b).map(Value::Double),
        (Value::String(_) | Value::Bytes(_) | Value::List(_), _) if operator == Binary::Add => {
            joined(left, right, fuel)
        }
        _ => times(operator, left, right),
    }
}

pub(super) fn negate(value: &Value) -> Result<Value, Trouble> {
    match value {
        Value::Int(number) => number.checked_neg().map(Value::Int).ok_or_else(too_large),
        Value::Double(number) => Ok(Value::Double(-number)),
        _ => Err(Trouble::Types),
    }
}

fn too_large() -> Trouble {
    Trouble::said("the result is too large")
}

fn divided(by_zero: bool) -> Result<(), Trouble> {
    if by_zero { Err(Trouble::said("this divides by zero")) } else { Ok(()) }
}

macro_rules! whole_numbers {
    ($name:ident, $number:ty) => {
        fn $name(operator: Binary, a: $number, b: $number) -> Result<$number, Trouble> {
            let result = match operator {
                Binary::Add => a.checked_add(b),
                Binary::Subtract => a.checked_sub(b),
                Binary::Multiply => a.checked_mul(b),
                Binary::Divide => {
                    divided(b == 0)?;
                    a.checked_div(b)
                }
                Binary::Remainder => {
                    divided(b == 0)?;
                    a.checked_rem(b)
                }
                _ => return Err(Trouble::Types),
            };
            result.ok_or_else(too_large)
        }
    };
}

whole_numbers!(ints, i64);
whole_numbers!(uints, u64);

/// Doubles divide by zero: the result is infinite.
fn doubles(operator: Binary, a: f64, b: f64) -> Result<f64, Trouble> {
    Ok(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        _ => return Err(Trouble::Types),
    })
}

fn joined(left: &Value, right: &Value, fuel: &mut Fuel) -> Result<Value, Trouble> {
    Ok(match (left, right) {
        (Value::String(a), Value::String(b)) => {
            fuel.bytes(a.len() + b.len())?;
            let mut text = String::with_capacity(a.len() + b.len());
            text.push_str(a);
            text.push_str(b);
            Value::String(text.into())
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            fuel.bytes(a.len() + b.len())?;
            Value::Bytes([&a[..], &b[..]].concat().into())
        }
        (Value::List(a), Value::List(b)) => {
            fuel.elements(a.len() + b.len())?;
            Value::List(a.iter().chain(b.iter()).cloned().collect::<Arc<[Value]>>())
        }
        _ => return Err(Trouble::Types),
    })
}

fn times(operator: Binary, left: &Value, right: &Value) -> Result<Value, Trouble> {
    use Value::{Duration, Timestamp};
    let timestamp = |micros: Option<i64>| micros.and_then(time::timestamp).map(Timestamp);
    let result = match (operator, left, right) {
        (Binary::Add, Timestamp(a), Duration(b)) | (Binary::Add, Duration(a), Timestamp(b)) => {
            timestamp(a.checked_add(*b))
        }
        (Binary::Subtract, Timestamp(a), Duration(b)) => timestamp(a.checked_sub(*b)),
        (Binary::Subtract, Timestamp(a), Timestamp(b))
        | (Binary::Subtract, Duration(a), Duration(b)) => a.checked_sub(*b).map(Duration),
        (Binary::Add, Duration(a), Duration(b)) => a.checked_add(*b).map(Duration),
        _ => return Err(Trouble::Types),
    };
    result.ok_or_else(too_large)
}
