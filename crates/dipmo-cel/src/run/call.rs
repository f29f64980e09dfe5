//! Calls of functions.

use std::array;
use std::borrow::Cow;
use std::fmt::Display;

use super::{Env, Evaluated, convert, eval, failed, strings, times};
use crate::flaw::{Span, Trouble};
use crate::fuel::Fuel;
use crate::function::{Function, MOST_ARGUMENTS, SIGNATURES};
use crate::node::Node;
use crate::value::Value;

pub(super) fn evaluate<'a>(
    function: Function,
    nodes: &'a [Node],
    span: Span,
    env: Env<'a>,
    fuel: &mut Fuel,
) -> Evaluated<'a> {
    let mut values: [Cow<'a, Value>; MOST_ARGUMENTS] =
        array::from_fn(|_| Cow::Borrowed(&Value::Null));
    for (value, node) in values.iter_mut().zip(nodes) {
        *value = eval(node, env, fuel)?;
    }
    let values = &values[..nodes.len().min(MOST_ARGUMENTS)];
    call(function, values, fuel).map(Cow::Owned).map_err(|trouble| {
        let operands: Vec<(&Node, &Value)> =
            nodes.iter().zip(values.iter().map(|value| &**value)).collect();
        failed(trouble, name(function), &operands, span)
    })
}

/// What a function makes of values.
pub(crate) fn call(
    function: Function,
    values: &[Cow<'_, Value>],
    fuel: &mut Fuel,
) -> Result<Value, Trouble> {
    let Some((first, rest)) = values.split_first() else {
        return Err(Trouble::Types);
    };
    let first: &Value = first;
    match function {
        Function::Size => size(first, fuel),
        Function::Dyn => Ok(first.clone()),
        Function::Contains | Function::StartsWith | Function::EndsWith => {
            strings::part(function, first, rest, fuel).map(Value::Bool)
        }
        Function::Matches => strings::matches_made(first, rest, fuel).map(Value::Bool),
        Function::ToString
        | Function::ToInt
        | Function::ToUint
        | Function::ToDouble
        | Function::ToBool
        | Function::ToBytes
        | Function::ToTimestamp
        | Function::ToDuration => convert::convert(function, first, fuel),
        Function::Time(part) => times::part(part, first).map(Value::Int),
        Function::Join => strings::join(first, rest, fuel),
        Function::LowerAscii
        | Function::UpperAscii
        | Function::Trim
        | Function::Split
        | Function::Substring
        | Function::Replace
        | Function::IndexOf
        | Function::CharAt => strings::extended(function, first, rest, fuel),
    }
}

/// Text has the size of its characters.
fn size(value: &Value, fuel: &mut Fuel) -> Result<Value, Trouble> {
    let size = match value {
        Value::String(text) => {
            fuel.bytes(text.len())?;
            text.chars().count()
        }
        Value::Bytes(bytes) => bytes.len(),
        Value::List(values) => values.len(),
        Value::Map(map) => map.len(),
        _ => return Err(Trouble::Types),
    };
    Ok(Value::Int(size as i64))
}

fn name(function: Function) -> &'static str {
    SIGNATURES
        .iter()
        .find(|signature| signature.function == function)
        .map_or("this", |signature| signature.name)
}

/// What to say of types that do not go together; values are never named.
pub(crate) fn does_not_take<T: Display>(what: &str, types: impl Iterator<Item = T>) -> String {
    let types: Vec<String> = types.map(|ty| ty.to_string()).collect();
    format!("`{what}` does not take ({})", types.join(", "))
}
