//! Values as they are declared: literals, expressions, and trees of both.

use std::sync::Arc;

use dipmo_cel::{Failure, Fuel, Program, Value};

use super::variables::{Used, Variables};

/// A value to be made for each message.
#[derive(Debug)]
pub(crate) enum Template {
    /// Always the same.
    Literal(Value),
    /// What an expression gives.
    Expression(Program),
    /// An object, in this order.
    Map(Vec<(Arc<str>, Template)>),
    /// A list.
    List(Vec<Template>),
}

impl Template {
    pub(crate) fn make(&self, variables: &Variables, fuel: &mut Fuel) -> Result<Value, Failure> {
        self.made(variables.slots(), fuel)
    }

    /// The value, with the variables in their slots.
    pub(crate) fn made(&self, slots: &[Value], fuel: &mut Fuel) -> Result<Value, Failure> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Expression(program) => program.run(slots, fuel),
            Self::Map(fields) => {
                let make = |(name, template): &(Arc<str>, Self)| {
                    Ok((Arc::clone(name), template.made(slots, fuel)?))
                };
                Ok(Value::map(fields.iter().map(make).collect::<Result<Vec<_>, Failure>>()?))
            }
            Self::List(items) => {
                let made = items.iter().map(|item| item.made(slots, fuel));
                Ok(Value::list(made.collect::<Result<Vec<_>, Failure>>()?))
            }
        }
    }

    /// Whether it reads the variable of a slot.
    pub(crate) fn uses(&self, slot: usize) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Expression(program) => program.uses(slot),
            Self::Map(fields) => fields.iter().any(|(_, template)| template.uses(slot)),
            Self::List(items) => items.iter().any(|item| item.uses(slot)),
        }
    }

    /// Notes which variables it reads.
    pub(crate) fn note(&self, used: &mut Used) {
        match self {
            Self::Literal(_) => {}
            Self::Expression(program) => used.add(program),
            Self::Map(fields) => fields.iter().for_each(|(_, template)| template.note(used)),
            Self::List(items) => items.iter().for_each(|item| item.note(used)),
        }
    }
}
