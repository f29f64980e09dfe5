//! Functions of text. Places are counted in characters.

use std::borrow::Cow;

use crate::flaw::Trouble;
use crate::fuel::Fuel;
use crate::function::Function;
use crate::pattern::Pattern;
use crate::value::Value;

type Rest<'v> = [Cow<'v, Value>];

/// `contains`, `startsWith`, `endsWith`.
pub(super) fn part(
    function: Function,
    text: &Value,
    rest: &Rest<'_>,
    fuel: &mut Fuel,
) -> Result<bool, Trouble> {
    let (text, part) = (str_of(text)?, str_at(rest, 0)?);
    Ok(match function {
        Function::StartsWith => text.starts_with(part),
        Function::EndsWith => text.ends_with(part),
        _ => {
            fuel.bytes(text.len())?;
            text.contains(part)
        }
    })
}

/// A pattern that was compiled before.
pub(super) fn matches(text: &Value, pattern: &Pattern, fuel: &mut Fuel) -> Result<bool, Trouble> {
    pattern.is_match(str_of(text)?, fuel)
}

/// A pattern that is known only now.
pub(super) fn matches_made(
    text: &Value,
    rest: &Rest<'_>,
    fuel: &mut Fuel,
) -> Result<bool, Trouble> {
    let text = str_of(text)?;
    Pattern::made(str_at(rest, 0)?, fuel)?.is_match(text, fuel)
}

pub(super) fn join(list: &Value, rest: &Rest<'_>, fuel: &mut Fuel) -> Result<Value, Trouble> {
    let Value::List(values) = list else {
        return Err(Trouble::Types);
    };
    let between = if rest.is_empty() { "" } else { str_at(rest, 0)? };
    let mut joined = String::new();
    for (at, value) in values.iter().enumerate() {
        let text = str_of(value)?;
        fuel.elements(1)?;
        fuel.bytes(text.len() + between.len())?;
        if at > 0 {
            joined.push_str(between);
        }
        joined.push_str(text);
    }
    Ok(Value::from(joined))
}

/// The functions of CEL's extension for text.
pub(super) fn extended(
    function: Function,
    text: &Value,
    rest: &Rest<'_>,
    fuel: &mut Fuel,
) -> Result<Value, Trouble> {
    let text = str_of(text)?;
    fuel.bytes(text.len())?;
    Ok(match function {
        Function::LowerAscii => Value::from(text.to_ascii_lowercase()),
        Function::UpperAscii => Value::from(text.to_ascii_uppercase()),
        Function::Trim => Value::from(text.trim()),
        Function::Split => return split(text, rest, fuel),
        Function::Replace => return replace(text, rest, fuel),
        Function::IndexOf => Value::Int(index_of(text, rest)?),
        Function::CharAt => {
            let at = byte_at(text, int_at(rest, 0)?)?;
            Value::from(text[at..].chars().next().map_or_else(String::new, String::from))
        }
        Function::Substring => {
            let start = byte_at(text, int_at(rest, 0)?)?;
            let end = if rest.len() > 1 { byte_at(text, int_at(rest, 1)?)? } else { text.len() };
            Value::from(text.get(start..end).ok_or_else(out_of_range)?)
        }
        _ => return Err(Trouble::Types),
    })
}

/// All parts with a negative limit, else at most so many.
fn split(text: &str, rest: &Rest<'_>, fuel: &mut Fuel) -> Result<Value, Trouble> {
    let separator = str_at(rest, 0)?;
    let limit = if rest.len() > 1 { int_at(rest, 1)? } else { -1 };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut left = text;
    while parts.len() < limit {
        fuel.elements(1)?;
        let last = parts.len() + 1 == limit;
        match if last { None } else { cut(left, separator) } {
            Some((part, after)) => {
                parts.push(Value::from(part));
                left = after;
            }
            None => {
                if !(separator.is_empty() && left.is_empty()) {
                    parts.push(Value::from(left));
                }
                break;
            }
        }
    }
    Ok(Value::list(parts))
}

/// Text without a separator is cut into its characters.
fn cut<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    if separator.is_empty() {
        let length = text.chars().next()?.len_utf8();
        return Some(text.split_at(length));
    }
    text.split_once(separator)
}

fn replace(text: &str, rest: &Rest<'_>, fuel: &mut Fuel) -> Result<Value, Trouble> {
    let (old, new) = (str_at(rest, 0)?, str_at(rest, 1)?);
    let limit = if rest.len() > 2 { int_at(rest, 2)? } else { -1 };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // Paid before it is made: a short text can become a very long one.
    let count = text.matches(old).take(limit).count();
    fuel.elements(count)?;
    fuel.bytes(count.saturating_mul(new.len()))?;
    Ok(Value::from(text.replacen(old, new, limit)))
}

fn index_of(text: &str, rest: &Rest<'_>) -> Result<i64, Trouble> {
    let part = str_at(rest, 0)?;
    let start = if rest.len() > 1 { byte_at(text, int_at(rest, 1)?)? } else { 0 };
    Ok(match text[start..].find(part) {
        Some(found) => text[..start + found].chars().count() as i64,
        None => -1,
    })
}

/// Where a character begins; the end is a place too.
fn byte_at(text: &str, place: i64) -> Result<usize, Trouble> {
    let place = usize::try_from(place).map_err(|_| out_of_range())?;
    let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.nth(place).ok_or_else(out_of_range)
}

fn out_of_range() -> Trouble {
    Trouble::said("there is no such place in the text")
}

fn str_of(value: &Value) -> Result<&str, Trouble> {
    value.as_str().ok_or(Trouble::Types)
}

fn str_at<'v>(values: &'v Rest<'_>, at: usize) -> Result<&'v str, Trouble> {
    values.get(at).and_then(|value| value.as_str()).ok_or(Trouble::Types)
}

fn int_at(values: &Rest<'_>, at: usize) -> Result<i64, Trouble> {
    match values.get(at).map(|value| &**value) {
        Some(Value::Int(number)) => Ok(*number),
        _ => Err(Trouble::Types),
    }
}
