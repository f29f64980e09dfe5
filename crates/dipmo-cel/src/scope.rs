//! The variables that an expression may name.

use std::sync::Arc;

use crate::Type;

/// Variables in order. The place of one is its slot: where its value stands in what a program is run with.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    variables: Arc<Vec<(String, Type)>>,
}

impl Scope {
    /// No variable at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One variable more, in the next slot; one of the same name gets another type and keeps its slot.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, ty: Type) -> Self {
        let name = name.into();
        let variables = Arc::make_mut(&mut self.variables);
        match variables.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = ty,
            None => variables.push((name, ty)),
        }
        self
    }

    /// Where the value of this variable stands.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|(known, _)| known == name)
    }

    /// The variables in the order of their slots.
    #[must_use]
    pub fn variables(&self) -> &[(String, Type)] {
        &self.variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_keeps_its_slot_when_its_type_changes() {
        let first = Scope::new().with("a", Type::Int).with("b", Type::Int);
        let second = first.clone().with("a", Type::String);
        assert_eq!(second.slot("a"), Some(0));
        assert_eq!(second.variables()[0].1, Type::String);
        assert_eq!(first.variables()[0].1, Type::Int, "a clone is its own");
        assert_eq!(second.slot("c"), None);
    }
}
