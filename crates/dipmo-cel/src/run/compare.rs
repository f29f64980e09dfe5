//! Equality and order. Numbers are compared by what they are worth, whatever their type.

use std::cmp::Ordering;

use crate::flaw::Trouble;
use crate::fuel::{Exhausted, Fuel};
use crate::syntax::ast::Binary;
use crate::value::Value;

/// Values of different types are not equal, which is no failure.
pub(super) fn equal(left: &Value, right: &Value, fuel: &mut Fuel) -> Result<bool, Exhausted> {
    Ok(match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => {
            fuel.bytes(a.len().min(b.len()))?;
            a == b
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            fuel.bytes(a.len().min(b.len()))?;
            a == b
        }
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::Duration(a), Value::Duration(b)) => {
            a == b
        }
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                fuel.spend(1)?;
                if !equal(a, b, fuel)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (name, value) in a.iter() {
                fuel.spend(1)?;
                let same = match b.get(name) {
                    Some(other) => equal(value, other, fuel)?,
                    None => false,
                };
                if !same {
                    return Ok(false);
                }
            }
            true
        }
        _ => numbers(left, right) == Some(Some(Ordering::Equal)),
    })
}

/// Whether a list has this element, or a map this key.
pub(super) fn contains(range: &Value, element: &Value, fuel: &mut Fuel) -> Result<bool, Trouble> {
    match (range, element) {
        (Value::List(values), _) => {
            for value in values.iter() {
                fuel.spend(1)?;
                if equal(value, element, fuel)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (Value::Map(map), Value::String(name)) => Ok(map.get(name).is_some()),
        (Value::Map(_), _) => Ok(false),
        _ => Err(Trouble::Types),
    }
}

/// `<`, `<=`, `>` and `>=`. With what is not a number (NaN) none of them is true.
pub(super) fn order(
    operator: Binary,
    left: &Value,
    right: &Value,
    fuel: &mut Fuel,
) -> Result<bool, Trouble> {
    let ordering = match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => {
            fuel.bytes(a.len().min(b.len()))?;
            Some(a.cmp(b))
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            fuel.bytes(a.len().min(b.len()))?;
            Some(a.cmp(b))
        }
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::Duration(a), Value::Duration(b)) => {
            Some(a.cmp(b))
        }
        _ => numbers(left, right).ok_or(Trouble::Types)?,
    };
    Ok(ordering.is_some_and(|ordering| match operator {
        Binary::Less => ordering.is_lt(),
        Binary::LessOrEqual => ordering.is_le(),
        Binary::Greater => ordering.is_gt(),
        _ => ordering.is_ge(),
    }))
}

/// `None` if they are not both numbers, `Some(None)` if one of them is NaN.
fn numbers(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    if let (Value::Double(a), Value::Double(b)) = (left, right) {
        return Some(a.partial_cmp(b));
    }
    let whole = |value: &Value| match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::Uint(number) => Some(i128::from(*number)),
        _ => None,
    };
    Some(match (left, right, whole(left), whole(right)) {
        (_, _, Some(a), Some(b)) => Some(a.cmp(&b)),
        (_, Value::Double(b), Some(a), _) => with_double(a, *b),
        (Value::Double(a), _, _, Some(b)) => with_double(b, *a).map(Ordering::reverse),
        _ => return None,
    })
}

/// Exactly: a large whole number is not rounded to the double beside it.
fn with_double(whole: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    // Whatever lies outside of i128 saturates, and so lies outside of both whole types still.
    let floor = double.floor();
    let ordering = whole.cmp(&(floor as i128));
    Some(if ordering.is_eq() && double > floor { Ordering::Less } else { ordering })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(left: &Value, right: &Value) -> Option<Ordering> {
        numbers(left, right).unwrap()
    }

    #[test]
    fn numbers_are_compared_exactly_across_types() {
        let large = (1i64 << 53) + 1;
        assert_eq!(
            compared(&Value::Int(large), &Value::Double(large as f64)),
            Some(Ordering::Greater)
        );
        assert_eq!(compared(&Value::Int(-1), &Value::Uint(u64::MAX)), Some(Ordering::Less));
        assert_eq!(compared(&Value::Uint(1), &Value::Double(1.0)), Some(Ordering::Equal));
        assert_eq!(compared(&Value::Double(-1.5), &Value::Int(-1)), Some(Ordering::Less));
        assert_eq!(
            compared(&Value::Int(i64::MAX), &Value::Double(f64::INFINITY)),
            Some(Ordering::Less)
        );
        assert_eq!(compared(&Value::Int(0), &Value::Double(f64::NAN)), None);
    }

    #[test]
    fn equality_costs_what_it_compares() {
        let long = |end: &str| Value::from("x".repeat(8_000) + end);
        let mut fuel = Fuel::new(2_000);
        assert!(!equal(&long("a"), &long("b"), &mut fuel).unwrap());
        assert!(fuel.left() < 1_001);
        assert!(equal(&long("a"), &long("a"), &mut Fuel::new(10)).is_err());
        let list = Value::list((0..100).map(Value::Int));
        assert!(equal(&list, &list, &mut Fuel::new(99)).is_err());
    }
}
