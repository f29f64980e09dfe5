//! Fields and elements.

use std::borrow::Cow;

use super::{Env, Evaluated, eval, failed};
use crate::flaw::{Failure, Span, Trouble};
use crate::fuel::Fuel;
use crate::node::{Field, Node, Op};
use crate::value::Value;

pub(super) fn select<'a>(field: &'a Field, of: Cow<'a, Value>, span: Span) -> Evaluated<'a> {
    let found = match of {
        Cow::Borrowed(Value::Map(map)) => map.get(&field.name).map(Cow::Borrowed),
        Cow::Owned(Value::Map(map)) => map.get(&field.name).cloned().map(Cow::Owned),
        other => return Err(no_fields(field, &other, span)),
    };
    match found {
        Some(value) => Ok(value),
        None if field.optional => Ok(Cow::Owned(Value::Null)),
        None => Err(span.failure(format!("`{}` is not there", field.name))),
    }
}

fn no_fields(field: &Field, of: &Value, span: Span) -> Box<Failure> {
    let name = match &field.of.op {
        Op::Field(of) => format!("`{}`", of.name),
        _ => "this".to_owned(),
    };
    span.failure(format!(
        "{name} is {}, which has no field `{}`",
        of.kind_with_article(),
        field.name
    ))
}

/// Not there, null, or of something that is null: all of them are no.
pub(super) fn has(field: &Field, env: Env<'_>, fuel: &mut Fuel) -> Result<bool, Box<Failure>> {
    match &*eval_through_null(&field.of, env, fuel)? {
        Value::Map(map) => Ok(map.get(&field.name).is_some_and(|value| !value.is_null())),
        Value::Null => Ok(false),
        other => Err(no_fields(field, other, field.of.span)),
    }
}

/// Fields of null are null here, so that `has(event.a.b.c)` needs no `has` before it.
fn eval_through_null<'a>(node: &'a Node, env: Env<'a>, fuel: &mut Fuel) -> Evaluated<'a> {
    let Op::Field(field) = &node.op else {
        return eval(node, env, fuel);
    };
    fuel.spend(1).map_err(|_| node.span.too_much_work())?;
    let of = eval_through_null(&field.of, env, fuel)?;
    if of.is_null() { Ok(of) } else { select(field, of, node.span) }
}

pub(super) fn index<'a>(
    parts: &'a [Node; 2],
    optional: bool,
    span: Span,
    env: Env<'a>,
    fuel: &mut Fuel,
) -> Evaluated<'a> {
    let (of, index) = (eval(&parts[0], env, fuel)?, eval(&parts[1], env, fuel)?);
    let found = match &of {
        Cow::Borrowed(of) => element(of, &index).map(|found| found.map(Cow::Borrowed)),
        Cow::Owned(of) => element(of, &index).map(|found| found.cloned().map(Cow::Owned)),
    };
    match found {
        Ok(Some(value)) => Ok(value),
        Ok(None) if optional => Ok(Cow::Owned(Value::Null)),
        Ok(None) => Err(span.failure("there is no such element")),
        Err(trouble) => Err(failed(trouble, "[ ]", &[(&parts[0], &of), (&parts[1], &index)], span)),
    }
}

fn element<'v>(of: &'v Value, index: &Value) -> Result<Option<&'v Value>, Trouble> {
    let place = match (of, index) {
        (Value::Map(map), Value::String(name)) => return Ok(map.get(name)),
        (Value::List(_), Value::Int(place)) => usize::try_from(*place).ok(),
        (Value::List(_), Value::Uint(place)) => usize::try_from(*place).ok(),
        _ => return Err(Trouble::Types),
    };
    match (of, place) {
        (Value::List(values), Some(place)) => Ok(values.get(place)),
        _ => Ok(None),
    }
}
