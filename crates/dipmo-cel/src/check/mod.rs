//! From a tree to a program, with all that can be known to be wrong.

mod calls;
mod macros;
mod names;
mod operators;
mod wanted;

use crate::flaw::{Flaw, Span};
use crate::fuel::Fuel;
use crate::node::{Node, Op};
use crate::program::Reads;
use crate::scope::Scope;
use crate::syntax::ast::{Ast, Kind, Unary};
use crate::types::Type;
use crate::value::{Map, Value};

/// A step and its type.
pub(super) struct Typed {
    node: Node,
    ty: Type,
}

/// What a tree came to.
pub(crate) struct Checked {
    pub(crate) root: Node,
    pub(crate) ty: Type,
    pub(crate) reads: Vec<Reads>,
}

/// Checks a tree against the variables and the type that is wanted of it.
pub(crate) fn check(ast: &Ast, scope: &Scope, wanted: &Type) -> Result<Checked, Vec<Flaw>> {
    let reads = vec![Reads::Fields(Vec::new()); scope.variables().len()];
    let mut checker =
        Checker { scope, locals: Vec::new(), flaws: Vec::new(), reads, fuel: Fuel::default() };
    let Typed { node: root, ty } = checker.lower_as(ast, wanted);
    if checker.flaws.is_empty() {
        Ok(Checked { root, ty, reads: checker.reads })
    } else {
        checker.flaws.sort_by_key(|flaw| flaw.span.start);
        Err(checker.flaws)
    }
}

struct Checker<'s> {
    scope: &'s Scope,
    /// The variables of the macros around, the innermost last.
    locals: Vec<(String, Type)>,
    flaws: Vec<Flaw>,
    reads: Vec<Reads>,
    /// For what is made once, before anything runs: that must not be too much either.
    fuel: Fuel,
}

impl Checker<'_> {
    /// Lowers a part of which nothing is wanted in particular.
    fn lower(&mut self, ast: &Ast) -> Typed {
        let span = ast.span;
        match &ast.kind {
            Kind::Literal(value) => typed(Op::Constant(value.clone()), span, type_of(value)),
            Kind::Variable(name) => self.variable(name),
            Kind::Select(of, name) => self.select(of, name, span),
            Kind::Index(parts) => self.index(&parts[0], &parts[1], span),
            Kind::Call(call) => self.call(call, span),
            Kind::List(parts) => self.list(parts, None, span),
            Kind::Map(entries) => self.map(entries, |_, _| None, span),
            Kind::Unary(Unary::Not, of) => {
                let of = self.lower_as(of, &Type::Bool);
                typed(Op::Not(Box::new(of.node)), span, Type::Bool)
            }
            Kind::Unary(Unary::Negate, of) => self.negate(of, span),
            Kind::Binary(operator, parts) => self.binary(*operator, &parts[0], &parts[1], span),
            Kind::Logic(logic, parts) => {
                let parts =
                    parts.iter().map(|part| self.lower_as(part, &Type::Bool).node).collect();
                typed(Op::Logic(*logic, parts), span, Type::Bool)
            }
            Kind::Choice(parts) => self.choice(parts, None, span),
        }
    }

    fn choice(&mut self, parts: &[Ast; 3], wanted: Option<&Type>, span: Span) -> Typed {
        let condition = self.lower_as(&parts[0], &Type::Bool);
        let [yes, no] = [&parts[1], &parts[2]].map(|part| self.lower_maybe(part, wanted));
        let ty = yes.ty.join(&no.ty);
        typed(Op::Choice(Box::new([condition.node, yes.node, no.node])), span, ty)
    }

    fn list(&mut self, parts: &[Ast], wanted: Option<&Type>, span: Span) -> Typed {
        let mut of: Option<Type> = None;
        let mut nodes = Vec::with_capacity(parts.len());
        for part in parts {
            let part = self.lower_maybe(part, wanted);
            of = Some(of.map_or_else(|| part.ty.clone(), |known| known.join(&part.ty)));
            nodes.push(part.node);
        }
        let ty = Type::list(of.unwrap_or(Type::Dyn));
        // Made once: a list that is written out is mostly there for `in`.
        let constants: Option<Vec<Value>> =
            nodes.iter().map(|node| node.constant().cloned()).collect();
        match constants {
            Some(values) => typed(Op::Constant(Value::list(values)), span, ty),
            None => typed(Op::List(nodes.into()), span, ty),
        }
    }

    /// `wanted` says what is wanted of the value of a key, and may find a flaw in the key.
    fn map<'w>(
        &mut self,
        entries: &[(Ast, Ast)],
        wanted: impl Fn(&mut Self, &Ast) -> Option<&'w Type>,
        span: Span,
    ) -> Typed {
        let mut of: Option<Type> = None;
        let mut nodes = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let wanted = wanted(self, key);
            let key_node = self.lower_as(key, &Type::String).node;
            let known = key_node.constant();
            if known.is_some()
                && nodes.iter().any(|(other, _): &(Node, Node)| other.constant() == known)
            {
                self.flaws.push(key.span.flaw("this key is there twice"));
            }
            let value = self.lower_maybe(value, wanted);
            of = Some(of.map_or_else(|| value.ty.clone(), |known| known.join(&value.ty)));
            nodes.push((key_node, value.node));
        }
        let ty = Type::map(of.unwrap_or(Type::Dyn));
        match constant_map(&nodes) {
            Some(map) => typed(Op::Constant(Value::Map(map.into())), span, ty),
            None => typed(Op::Map(nodes.into()), span, ty),
        }
    }

    /// Notes a flaw and goes on with something that causes no others.
    fn flawed(&mut self, span: Span, flaw: Flaw) -> Typed {
        self.flaws.push(flaw);
        typed(Op::Constant(Value::Null), span, Type::Dyn)
    }
}

fn constant_map(nodes: &[(Node, Node)]) -> Option<Map> {
    let constant = |(key, value): &(Node, Node)| match (key.constant(), value.constant()) {
        (Some(Value::String(key)), Some(value)) => Some((key.clone(), value.clone())),
        _ => None,
    };
    nodes.iter().map(constant).collect::<Option<_>>().map(Map::new)
}

fn typed(op: Op, span: Span, ty: Type) -> Typed {
    Typed { node: Node { op, span }, ty }
}

/// The type of a literal.
fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::String(_) => Type::String,
        Value::Bytes(_) => Type::Bytes,
        Value::Timestamp(_) => Type::Timestamp,
        Value::Duration(_) => Type::Duration,
        Value::List(_) => Type::list(Type::Dyn),
        Value::Map(_) => Type::map(Type::Dyn),
    }
}

#[cfg(test)]
mod tests;
