//! Running a program: values are borrowed for as long as they can be.

mod access;
mod admit;
mod arithmetic;
mod call;
mod compare;
mod convert;
mod folds;
mod strings;
mod times;

use std::borrow::Cow;
use std::sync::Arc;

use self::access::{has, index, select};
pub(crate) use self::admit::admit;
use self::admit::not_wanted;
pub(crate) use self::call::{call, does_not_take};
use self::compare::equal;
use crate::flaw::{Failure, Span, Trouble};
use crate::fuel::Fuel;
use crate::node::{Node, Op};
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
    value.as_bool().ok_or_else(|| not_wanted(node, &value, &Type::Bool))
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
            other => return Err(not_wanted(key, other, &Type::String)),
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
