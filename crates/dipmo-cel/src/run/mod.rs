//! Running a program: values are borrowed for as long as they can be.

mod arithmetic;
mod call;
mod compare;
mod convert;
mod folds;
mod strings;
mod times;

use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use self::call::{call, does_not_take};
use self::compare::equal;
use crate::flaw::{Failure, Span, Trouble};
use crate::fuel::Fuel;
use crate::node::{Field, Node, Op};
use crate::syntax::ast::{Binary, Logic};
use crate::types::Type;
use crate::value::{Map, Value};

/// The variables of the scope, and those of the macros around.
#[derive(Clone, Copy)]
pub(crate) struct Env<'a> {
    variables: &'a [Value],
    local: Option<&'a Local<'a>>,
}

struct Local<'a> {
    value: &'a Value,
    outer: Option<&'a Local<'a>>,
}

impl<'a> Env<'a> {
    pub(crate) const fn new(variables: &'a [Value]) -> Self {
        Self { variables, local: None }
    }

    fn local(self, mut outer: usize) -> Option<&'a Value> {
        let mut local = self.local?;
        while outer > 0 {
            local = local.outer?;
            outer -= 1;
        }
        Some(local.value)
    }
}

type Evaluated<'a> = Result<Cow<'a, Value>, Box<Failure>>;

/// The value of a part of a program.
pub(crate) fn eval<'a>(node: &'a Node, env: Env<'a>, fuel: &mut Fuel) -> Evaluated<'a> {
    fuel.spend(1).map_err(|_| node.span.too_much_work())?;
    let truth = |truth: bool| Ok(Cow::Owned(Value::Bool(truth)));
    match &node.op {
        Op::Constant(value) => Ok(Cow::Borrowed(value)),
        Op::Slot(slot) => variable(env.variables.get(*slot), node.span),
        Op::Local(outer) => variable(env.local(*outer), node.span),
        Op::Field(field) => select(field, eval(&field.of, env, fuel)?, node.span),
        Op::Has(field) => truth(has(field, env, fuel)?),
        Op::Index(parts, optional) => index(parts, *optional, node.span, env, fuel),
        Op::Not(of) => truth(!eval_bool(of, env, fuel)?),
        Op::Negate(of) => {
            let value = eval(of, env, fuel)?;
            arithmetic::negate(&value)
                .map(Cow::Owned)
                .map_err(|trouble| failed(trouble, "-", &[(of, &value)], node.span))
        }
        Op::Binary(operator, parts) => {
            let (left, right) = (eval(&parts[0], env, fuel)?, eval(&parts[1], env, fuel)?);
            binary(*operator, &left, &right, fuel).map(Cow::Owned).map_err(|trouble| {
                let operands = [(&parts[0], &*left), (&parts[1], &*right)];
                failed(trouble, operator.sign(), &operands, node.span)
            })
        }
        Op::Logic(logic, parts) => truth(decide(*logic, parts, env, fuel)?),
        Op::Choice(parts) => {
            let [condition, yes, no] = &**parts;
            eval(if eval_bool(condition, env, fuel)? { yes } else { no }, env, fuel)
        }
        Op::List(parts) => list(parts, node.span, env, fuel),
        Op::Map(entries) => map(entries, node.span, env, fuel),
        Op::Call(function, arguments) => call::evaluate(*function, arguments, node.span, env, fuel),
        Op::Matches(parts) => {
            let text = eval(&parts.0, env, fuel)?;
            let found = strings::matches(&text, &parts.1, fuel);
            truth(
                found.map_err(|trouble| {
                    failed(trouble, "matches", &[(&parts.0, &text)], node.span)
                })?,
            )
        }
        Op::Fold(fold) => folds::fold(fold, node.span, env, fuel),
    }
}

fn variable(value: Option<&Value>, span: Span) -> Evaluated<'_> {
    value.map(Cow::Borrowed).ok_or_else(|| span.failure("this variable was not given"))
}

/// A condition.
fn eval_bool(node: &Node, env: Env<'_>, fuel: &mut Fuel) -> Result<bool, Box<Failure>> {
    let value = eval(node, env, fuel)?;
    value.as_bool().ok_or_else(|| not_wanted(&value, &Type::Bool, node.span))
}

fn not_wanted(value: &Value, wanted: &Type, span: Span) -> Box<Failure> {
    span.failure(format!(
        "this is {}, and {} is wanted here",
        value.kind_with_article(),
        wanted.with_article()
    ))
}

/// Whether the value of a program is what was wanted of it: what was checked may be null, or of any type.
pub(crate) fn admit(
    wanted: &Type,
    value: &Value,
    span: Span,
    fuel: &mut Fuel,
) -> Result<(), Box<Failure>> {
    match (wanted, value) {
        (Type::Dyn, _) | (Type::Optional(_), Value::Null) => return Ok(()),
        (Type::Optional(of), _) => return admit(of, value, span, fuel),
        (Type::List(of), Value::List(values)) => {
            fuel.elements(values.len()).map_err(|_| span.too_much_work())?;
            return values.iter().try_for_each(|value| admit(of, value, span, fuel));
        }
        (Type::Map(of), Value::Map(map)) => {
            fuel.elements(map.len()).map_err(|_| span.too_much_work())?;
            return map.iter().try_for_each(|(_, value)| admit(of, value, span, fuel));
        }
        (Type::Object(object), Value::Map(map)) => {
            fuel.elements(object.fields.len()).map_err(|_| span.too_much_work())?;
            return object.fields.iter().try_for_each(|(name, ty)| match map.get(name) {
                Some(value) => admit(ty, value, span, fuel),
                None => admit(ty, &Value::Null, span, fuel),
            });
        }
        _ => {}
    }
    if wanted.is_of(value) { Ok(()) } else { Err(not_wanted(value, wanted, span)) }
}

/// A decision is made by the side that makes it, even if the other fails: CEL's `&&` and `||` commute.
fn decide(
    logic: Logic,
    parts: &[Node],
    env: Env<'_>,
    fuel: &mut Fuel,
) -> Result<bool, Box<Failure>> {
    let deciding = logic == Logic::Or;
    let mut failure = None;
    for part in parts {
        match eval_bool(part, env, fuel) {
            Ok(truth) if truth == deciding => return Ok(truth),
            Ok(_) => {}
            Err(last) if fuel.is_exhausted() => return Err(last),
            Err(first) => {
                failure.get_or_insert(first);
            }
        }
    }
    failure.map_or(Ok(!deciding), Err)
}

fn select<'a>(field: &'a Field, of: Cow<'a, Value>, span: Span) -> Evaluated<'a> {
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
fn has(field: &Field, env: Env<'_>, fuel: &mut Fuel) -> Result<bool, Box<Failure>> {
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

fn index<'a>(
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

fn binary(
    operator: Binary,
    left: &Value,
    right: &Value,
    fuel: &mut Fuel,
) -> Result<Value, Trouble> {
    match operator {
        Binary::Equal => Ok(Value::Bool(equal(left, right, fuel)?)),
        Binary::NotEqual => Ok(Value::Bool(!equal(left, right, fuel)?)),
        Binary::In => compare::contains(right, left, fuel).map(Value::Bool),
        Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => {
            compare::order(operator, left, right, fuel).map(Value::Bool)
        }
        _ => arithmetic::calculate(operator, left, right, fuel),
    }
}

fn list<'a>(parts: &'a [Node], span: Span, env: Env<'a>, fuel: &mut Fuel) -> Evaluated<'a> {
    fuel.elements(parts.len()).map_err(|_| span.too_much_work())?;
    let values: Result<Vec<Value>, _> =
        parts.iter().map(|part| eval(part, env, fuel).map(Cow::into_owned)).collect();
    Ok(Cow::Owned(Value::List(values?.into())))
}

fn map<'a>(
    entries: &'a [(Node, Node)],
    span: Span,
    env: Env<'a>,
    fuel: &mut Fuel,
) -> Evaluated<'a> {
    fuel.elements(entries.len()).map_err(|_| span.too_much_work())?;
    let mut built: Vec<(Arc<str>, Value)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let name = match &*eval(key, env, fuel)? {
            Value::String(name) => Arc::clone(name),
            other => return Err(not_wanted(other, &Type::String, key.span)),
        };
        built.push((name, eval(value, env, fuel)?.into_owned()));
    }
    let map = Map::new(built);
    if map.len() < entries.len() {
        return Err(span.failure("a key is there twice"));
    }
    Ok(Cow::Owned(Value::Map(Arc::new(map))))
}

/// Trouble with its place, and with the types that made it. A field that is null is the usual cause, and is named.
fn failed(trouble: Trouble, what: &str, operands: &[(&Node, &Value)], span: Span) -> Box<Failure> {
    match trouble {
        Trouble::Said(message) => span.failure(message),
        Trouble::Exhausted => span.too_much_work(),
        Trouble::Types => {
            let null = operands.iter().find_map(|(node, value)| match &node.op {
                Op::Field(field) if value.is_null() => Some(&field.name),
                _ => None,
            });
            span.failure(match null {
                Some(name) => format!("`{name}` is null, which `{what}` does not take"),
                None => does_not_take(what, operands.iter().map(|(_, value)| value.kind())),
            })
        }
    }
}

#[cfg(test)]
mod tests;
