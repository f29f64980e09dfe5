//! The functions that need only the values of their arguments.

use super::function::Function;
use super::moment;
use super::operator::{as_text, equal, number};
use crate::value::Value;

/// The longest text that a function makes: no field holds more.
const MAX_TEXT: usize = 131_072 * 4;

pub(super) fn apply(function: Function, values: &[Value]) -> Value {
    match (function, values) {
        (Function::Not, [Value::Bool(value)]) => Value::Bool(!value),
        (Function::IsBlank, [value]) => Value::Bool(is_blank(value)),
        (Function::IsNull, [value]) => Value::Bool(*value == Value::Null),
        (Function::BlankValue, [value, instead]) => {
            if is_blank(value) {
                instead.clone()
            } else {
                value.clone()
            }
        }
        (Function::NullValue, [value, instead]) => {
            if *value == Value::Null {
                instead.clone()
            } else {
                value.clone()
            }
        }
        (Function::IsPickVal, [picked, wanted]) => {
            Value::Bool(*picked == *wanted || equal(picked, wanted) == Some(true))
        }
        (Function::Includes, [picked, wanted]) => {
            let wanted = as_text(wanted);
            Value::Bool(as_text(picked).split(';').any(|one| !one.is_empty() && one == wanted))
        }
        (Function::IsNumber, [value]) => Value::Bool(read_number(&as_text(value)).is_some()),
        (Function::Value, [value]) => read_number(&as_text(value)).map_or(Value::Null, number),
        (Function::DateValue, [value]) => moment::date_value(&as_text(value)),
        (Function::Text, [value]) => text(as_text(value)),
        _ => on_numbers(function, values).unwrap_or_else(|| on_texts(function, values)),
    }
}

/// `None` if it is a function of texts.
fn on_numbers(function: Function, values: &[Value]) -> Option<Value> {
    let numbers: Option<Vec<f64>> = values
        .iter()
        .map(|value| match value {
            Value::Number(number) => Some(*number),
            Value::Null | Value::Bool(_) | Value::Text(_) => None,
        })
        .collect();
    let result = match (function, numbers.as_deref()?) {
        (Function::Abs, [value]) => value.abs(),
        (Function::Round, [value, digits]) => round(*value, *digits),
        (Function::Mod, [value, divisor]) => value - divisor * (value / divisor).floor(),
        (Function::Min, values) => values.iter().copied().fold(f64::INFINITY, f64::min),
        (Function::Max, values) => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        (Function::Date, [year, month, day]) => return Some(moment::date(*year, *month, *day)),
        _ => return None,
    };
    Some(number(result))
}

fn on_texts(function: Function, values: &[Value]) -> Value {
    match (function, values) {
        (Function::Len, [value]) => Value::Number(as_text(value).chars().count() as f64),
        (Function::Upper, [value]) => text(as_text(value).to_uppercase()),
        (Function::Lower, [value]) => text(as_text(value).to_lowercase()),
        (Function::Trim, [value]) => text(as_text(value).trim().to_owned()),
        (Function::Contains, [value, part]) => holds(value, part, |text, part| text.contains(part)),
        (Function::Begins, [value, part]) => {
            holds(value, part, |text, part| text.starts_with(part))
        }
        (Function::Left, [value, Value::Number(count)]) => {
            text(as_text(value).chars().take(count_of(*count)).collect())
        }
        (Function::Right, [value, Value::Number(count)]) => {
            let value = as_text(value);
            let left_out = value.chars().count().saturating_sub(count_of(*count));
            text(value.chars().skip(left_out).collect())
        }
        (Function::Mid, [value, Value::Number(start), Value::Number(count)]) => {
            let before = count_of(*start).saturating_sub(1);
            text(as_text(value).chars().skip(before).take(count_of(*count)).collect())
        }
        (Function::Find, [part, value]) => find(&as_text(part), &as_text(value), 1),
        (Function::Find, [part, value, Value::Number(start)]) => {
            find(&as_text(part), &as_text(value), count_of(*start))
        }
        (Function::Substitute, [value, old, new]) => substitute(value, old, new),
        _ => Value::Null,
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Everything holds nothing, and of an empty text nobody can say.
fn holds(value: &Value, part: &Value, holds: impl Fn(&str, &str) -> bool) -> Value {
    let (value, part) = (as_text(value), as_text(part));
    match (value.is_empty(), part.is_empty()) {
        (_, true) => Value::Bool(true),
        (true, false) => Value::Null,
        (false, false) => Value::Bool(holds(&value, &part)),
    }
}

/// The place from 1 on of the first occurrence at or after `start`, else 0.
fn find(part: &str, value: &str, start: usize) -> Value {
    if part.is_empty() || start == 0 {
        return Value::Number(0.0);
    }
    let skipped: usize = value.chars().take(start - 1).map(char::len_utf8).sum();
    let found =
        value[skipped..].find(part).map_or(0, |at| value[..skipped + at].chars().count() + 1);
    Value::Number(found as f64)
}

fn substitute(value: &Value, old: &Value, new: &Value) -> Value {
    let (value, old, new) = (as_text(value), as_text(old), as_text(new));
    if old.is_empty() {
        return text(value);
    }
    // Known before it is built, because a few nested ones would fill the memory.
    if value.matches(&old).count().saturating_mul(new.len()) > MAX_TEXT {
        return Value::Null;
    }
    text(value.replace(&old, &new))
}

fn text(text: String) -> Value {
    if text.len() > MAX_TEXT { Value::Null } else { Value::Text(text.into()) }
}

fn read_number(text: &str) -> Option<f64> {
    let digits_only = text.trim().chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    text.trim().parse().ok().filter(|number: &f64| digits_only && number.is_finite())
}

fn round(value: f64, digits: f64) -> f64 {
    let factor = 10_f64.powf(digits.trunc());
    (value * factor).round() / factor
}

/// `as` saturates: less than nothing is nothing.
fn count_of(number: f64) -> usize {
    number as usize
}
