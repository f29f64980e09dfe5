//! Values that are not of the type that is wanted: what was checked may be null, or of any type.

use std::ptr;

use crate::flaw::Failure;
use crate::fuel::{Exhausted, Fuel};
use crate::node::{Node, Op};
use crate::types::Type;
use crate::value::Value;

/// Whether the value of a program is what was wanted of it.
pub(crate) fn admit(
    node: &Node,
    value: &Value,
    wanted: &Type,
    fuel: &mut Fuel,
) -> Result<(), Box<Failure>> {
    match misfit(value, wanted, fuel) {
        Ok(None) => Ok(()),
        Ok(Some((found, wanted))) if ptr::eq(found, value) => Err(not_wanted(node, found, wanted)),
        Ok(Some((found, wanted))) => Err(said(node, "a part of this", found, wanted)),
        Err(Exhausted) => Err(node.span.too_much_work()),
    }
}

/// What to say of a value that is not of the type that is wanted. A field that is null is the usual cause.
pub(super) fn not_wanted(node: &Node, found: &Value, wanted: &Type) -> Box<Failure> {
    match &node.op {
        Op::Field(field) => said(node, &format!("`{}`", field.name), found, wanted),
        _ => said(node, "this", found, wanted),
    }
}

fn said(node: &Node, subject: &str, found: &Value, wanted: &Type) -> Box<Failure> {
    let (found, wanted) = (found.kind_with_article(), wanted.with_article());
    node.span.failure(format!("{subject} is {found}, and {wanted} is wanted here"))
}

/// The first part that does not fit, and what was wanted in its place.
fn misfit<'v>(
    value: &'v Value,
    wanted: &'v Type,
    fuel: &mut Fuel,
) -> Result<Option<(&'v Value, &'v Type)>, Exhausted> {
    match (wanted, value) {
        (Type::Dyn, _) | (Type::Optional(_), Value::Null) => Ok(None),
        (Type::Optional(of), _) => misfit(value, of, fuel),
        (Type::List(of), Value::List(values)) => {
            first(values.iter().map(|value| (value, &**of)), fuel)
        }
        (Type::Map(of), Value::Map(map)) => {
            first(map.iter().map(|(_, value)| (value, &**of)), fuel)
        }
        (Type::Object(object), Value::Map(map)) => {
            let fields = object.fields.iter();
            first(fields.map(|(name, ty)| (map.get(name).unwrap_or(&Value::Null), ty)), fuel)
        }
        _ if wanted.is_of(value) => Ok(None),
        _ => Ok(Some((value, wanted))),
    }
}

fn first<'v>(
    parts: impl Iterator<Item = (&'v Value, &'v Type)>,
    fuel: &mut Fuel,
) -> Result<Option<(&'v Value, &'v Type)>, Exhausted> {
    for (value, wanted) in parts {
        fuel.spend(1)?;
        if let Some(found) = misfit(value, wanted, fuel)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
