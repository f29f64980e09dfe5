//! The macros that go through a list, or through the keys of a map.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Env, Evaluated, Local, eval, eval_bool, not_wanted};
use crate::flaw::{Failure, Span};
use crate::fuel::Fuel;
use crate::node::{Fold, FoldKind};
use crate::types::Type;
use crate::value::Value;

pub(super) fn fold<'a>(fold: &'a Fold, span: Span, env: Env<'a>, fuel: &mut Fuel) -> Evaluated<'a> {
    let range = eval(&fold.range, env, fuel)?;
    let keys: Vec<Value>;
    let elements: &[Value] = match &*range {
        Value::List(values) => values,
        Value::Map(map) => {
            fuel.elements(map.len()).map_err(|_| span.too_much_work())?;
            keys = map.iter().map(|(name, _)| Value::String(Arc::clone(name))).collect();
            &keys
        }
        other => return Err(not_wanted(&fold.range, other, &Type::list(Type::Dyn))),
    };
    let value = match fold.kind {
        FoldKind::All => Value::Bool(!found(fold, elements, false, env, fuel)?),
        FoldKind::Exists => Value::Bool(found(fold, elements, true, env, fuel)?),
        FoldKind::ExistsOne => {
            let mut count = 0;
            for element in elements {
                count +=
                    usize::from(eval_bool(&fold.body, within(env, &local(env, element)), fuel)?);
            }
            Value::Bool(count == 1)
        }
        FoldKind::Filter => {
            let mut kept = Vec::new();
            for element in elements {
                if eval_bool(&fold.body, within(env, &local(env, element)), fuel)? {
                    fuel.elements(1).map_err(|_| span.too_much_work())?;
                    kept.push(element.clone());
                }
            }
            Value::List(kept.into())
        }
        FoldKind::Map => Value::List(mapped(fold, elements, env, fuel)?.into()),
    };
    Ok(Cow::Owned(value))
}

/// One variable more than outside.
const fn local<'a>(env: Env<'a>, value: &'a Value) -> Local<'a> {
    Local { value, outer: env.local }
}

const fn within<'a>(env: Env<'a>, local: &'a Local<'a>) -> Env<'a> {
    Env { variables: env.variables, local: Some(local) }
}

/// Whether the body is `wanted` for an element. One that is found makes the failures of others not matter.
fn found(
    fold: &Fold,
    elements: &[Value],
    wanted: bool,
    env: Env<'_>,
    fuel: &mut Fuel,
) -> Result<bool, Box<Failure>> {
    let mut failure = None;
    for element in elements {
        match eval_bool(&fold.body, within(env, &local(env, element)), fuel) {
            Ok(truth) if truth == wanted => return Ok(true),
            Ok(_) => {}
            Err(last) if fuel.is_exhausted() => return Err(last),
            Err(first) => {
                failure.get_or_insert(first);
            }
        }
    }
    failure.map_or(Ok(false), Err)
}

fn mapped(
    fold: &Fold,
    elements: &[Value],
    env: Env<'_>,
    fuel: &mut Fuel,
) -> Result<Vec<Value>, Box<Failure>> {
    let mut values = Vec::new();
    for element in elements {
        let local = local(env, element);
        let env = within(env, &local);
        if let Some(filter) = &fold.filter
            && !eval_bool(filter, env, fuel)?
        {
            continue;
        }
        values.push(eval(&fold.body, env, fuel)?.into_owned());
    }
    Ok(values)
}
