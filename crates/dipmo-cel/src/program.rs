//! An expression that was found good, and can be run.

use std::sync::Arc;

use crate::check::check;
use crate::flaw::{Failure, Flaw};
use crate::fuel::Fuel;
use crate::node::Node;
use crate::run::{Env, admit, eval};
use crate::scope::Scope;
use crate::syntax::parse;
use crate::types::Type;
use crate::value::Value;

/// A compiled expression. A clone shares it.
#[derive(Clone, Debug)]
pub struct Program {
    source: Arc<str>,
    root: Arc<Node>,
    wanted: Type,
    ty: Type,
    reads: Arc<[Reads]>,
}

/// What a program reads of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Reads {
    Fields(Vec<String>),
    Whole,
}

impl Reads {
    pub(crate) fn add(&mut self, field: &str) {
        if let Self::Fields(fields) = self
            && !fields.iter().any(|known| known == field)
        {
            fields.push(field.to_owned());
        }
    }
}

impl Program {
    /// Parses and checks an expression over these variables that is to give a value of this type.
    ///
    /// # Errors
    ///
    /// All that is wrong with it; of text that is no expression at all, only the first.
    pub fn compile(source: &str, scope: &Scope, wanted: &Type) -> Result<Self, Vec<Flaw>> {
        let ast = parse(source).map_err(|flaw| vec![flaw])?;
        let checked = check(&ast, scope, wanted)?;
        Ok(Self {
            source: source.into(),
            root: Arc::new(checked.root),
            wanted: wanted.clone(),
            ty: checked.ty,
            reads: checked.reads.into(),
        })
    }

    /// The value of the expression; `variables` are those of the scope, in its order.
    ///
    /// # Errors
    ///
    /// What failed, or that there was not enough fuel.
    pub fn run(&self, variables: &[Value], fuel: &mut Fuel) -> Result<Value, Failure> {
        let value = eval(&self.root, Env::new(variables), fuel).map_err(|failure| *failure)?;
        admit(&self.root, &value, &self.wanted, fuel).map_err(|failure| *failure)?;
        Ok(value.into_owned())
    }

    /// Whether it reads the variable in this slot at all.
    #[must_use]
    pub fn uses(&self, slot: usize) -> bool {
        match self.reads.get(slot) {
            Some(Reads::Fields(fields)) => !fields.is_empty(),
            Some(Reads::Whole) => true,
            None => false,
        }
    }

    /// The fields of the variable in this slot that it reads, in the order in which it names them; `None` when
    /// it reads the variable as a whole.
    #[must_use]
    pub fn paths(&self, slot: usize) -> Option<Vec<String>> {
        match self.reads.get(slot) {
            Some(Reads::Fields(fields)) => Some(fields.clone()),
            Some(Reads::Whole) => None,
            None => Some(Vec::new()),
        }
    }

    /// The type of what it gives, as far as that is known before it runs: it can be [`Type::Dyn`], or may be null,
    /// even where another type was wanted, which is then checked when it runs.
    #[must_use]
    pub const fn result(&self) -> &Type {
        &self.ty
    }

    /// The text that it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}
