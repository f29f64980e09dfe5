//! The program: names are places, constants are made, patterns are compiled.

use std::sync::Arc;

use crate::flaw::Span;
use crate::function::Function;
use crate::pattern::Pattern;
use crate::syntax::ast::{Binary, Logic};
use crate::value::Value;

/// One step, and where it stands in the source.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Op {
    Constant(Value),
    /// A variable of the scope.
    Slot(usize),
    /// The variable of a macro: how many macros further out.
    Local(usize),
    Field(Box<Field>),
    /// Whether there is such a field, and it is not null.
    Has(Box<Field>),
    /// An element; whether a key may be absent, and is null then.
    Index(Box<[Node; 2]>, bool),
    Not(Box<Node>),
    Negate(Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    Logic(Logic, Box<[Node]>),
    Choice(Box<[Node; 3]>),
    List(Box<[Node]>),
    Map(Box<[(Node, Node)]>),
    Call(Function, Box<[Node]>),
    /// A pattern that was written out, and so compiled once.
    Matches(Box<(Node, Pattern)>),
    Fold(Box<Fold>),
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) of: Node,
    pub(crate) name: Arc<str>,
    /// It may be absent, and is null then.
    pub(crate) optional: bool,
}

/// A macro over a list, or over the keys of a map.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) kind: FoldKind,
    pub(crate) range: Node,
    /// Which elements `map` with three arguments takes.
    pub(crate) filter: Option<Node>,
    pub(crate) body: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldKind {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
}

impl Node {
    pub(crate) const fn constant(&self) -> Option<&Value> {
        match &self.op {
            Op::Constant(value) => Some(value),
            _ => None,
        }
    }
}
