//! Variables, fields and elements.

use super::wanted::of;
use super::{Checker, Typed, typed};
use crate::flaw::Span;
use crate::hint::did_you_mean;
use crate::node::{Field, Op};
use crate::program::Reads;
use crate::syntax::ast::{Ast, Kind, Name};
use crate::types::Type;
use crate::value::Value;

impl Checker<'_> {
    /// A variable that is read as a whole.
    pub(super) fn variable(&mut self, name: &Name) -> Typed {
        if let Some(slot) = self.slot(name) {
            self.reads[slot] = Reads::Whole;
        }
        self.named(name)
    }

    fn named(&mut self, name: &Name) -> Typed {
        if let Some(outer) = self.locals.iter().rev().position(|(local, _)| *local == name.text) {
            let ty = self.locals[self.locals.len() - 1 - outer].1.clone();
            return typed(Op::Local(outer), name.span, ty);
        }
        if let Some(slot) = self.scope.slot(&name.text) {
            return typed(Op::Slot(slot), name.span, self.scope.variables()[slot].1.clone());
        }
        let mut flaw = name.span.flaw(format!("there is no variable `{}`", name.text));
        let locals = self.locals.iter().map(|(name, _)| name.as_str());
        let variables = self.scope.variables().iter().map(|(name, _)| name.as_str());
        flaw.hint = did_you_mean(&name.text, locals.chain(variables));
        self.flawed(name.span, flaw)
    }

    /// The slot of a name that no macro hides.
    fn slot(&self, name: &Name) -> Option<usize> {
        let hidden = self.locals.iter().any(|(local, _)| *local == name.text);
        if hidden { None } else { self.scope.slot(&name.text) }
    }

    pub(super) fn select(&mut self, of: &Ast, name: &Name, span: Span) -> Typed {
        let of = self.field_owner(of, &name.text);
        self.field(of, &name.text, name.span, span)
    }

    /// What a field is read of: a variable is noted with the field, and not as a whole.
    pub(super) fn field_owner(&mut self, of: &Ast, field: &str) -> Typed {
        let Kind::Variable(name) = &of.kind else {
            return self.lower(of);
        };
        if let Some(slot) = self.slot(name) {
            self.reads[slot].add(field);
        }
        self.named(name)
    }

    pub(super) fn field(&mut self, of: Typed, name: &str, at: Span, span: Span) -> Typed {
        let Some((ty, optional)) = self.field_type(&of.ty, name, at) else {
            return typed(Op::Constant(Value::Null), span, Type::Dyn);
        };
        typed(Op::Field(Box::new(Field { of: of.node, name: name.into(), optional })), span, ty)
    }

    /// The type of a field, and whether it may be absent. `None` is a flaw that was noted.
    pub(super) fn field_type(&mut self, ty: &Type, name: &str, at: Span) -> Option<(Type, bool)> {
        match ty.bare() {
            Type::Dyn => Some((Type::Dyn, false)),
            Type::Map(of) => Some(((**of).clone(), may_be_absent(of))),
            Type::Object(object) => match object.field(name) {
                Some(ty) => Some((ty.clone(), may_be_absent(ty))),
                None if object.open => Some((Type::Dyn, false)),
                None => {
                    let mut flaw = at.flaw(format!("{} has no field `{name}`", of(object)));
                    flaw.hint =
                        did_you_mean(name, object.fields.iter().map(|(name, _)| name.as_str()));
                    self.flaws.push(flaw);
                    None
                }
            },
            other => {
                self.flaws.push(
                    at.flaw(format!("this is {}, which has no fields", other.with_article())),
                );
                None
            }
        }
    }

    pub(super) fn index(&mut self, of: &Ast, index: &Ast, span: Span) -> Typed {
        // A field that no name can spell: `headers["content-type"]`.
        if let Kind::Literal(Value::String(name)) = &index.kind {
            let of = self.field_owner(of, name);
            if matches!(of.ty.bare(), Type::Dyn | Type::Map(_) | Type::Object(_)) {
                return self.field(of, name, index.span, span);
            }
            return self.element(of, index, span);
        }
        let of = self.lower(of);
        self.element(of, index, span)
    }

    fn element(&mut self, of: Typed, index: &Ast, span: Span) -> Typed {
        let (wanted, ty) = match of.ty.bare() {
            Type::List(ty) => (Type::Int, (**ty).clone()),
            Type::Map(ty) => (Type::String, (**ty).clone()),
            Type::Object(_) => (Type::String, Type::Dyn),
            Type::Dyn => (Type::Dyn, Type::Dyn),
            other => {
                let mut flaw = of
                    .node
                    .span
                    .flaw(format!("this is {}, which has no elements", other.with_article()));
                if *other == Type::String {
                    flaw.hint = Some("`charAt(…)` gives a character".to_owned());
                }
                return self.flawed(span, flaw);
            }
        };
        let index = self.lower_as(index, &wanted);
        let optional = wanted == Type::String && may_be_absent(&ty);
        typed(Op::Index(Box::new([of.node, index.node]), optional), span, ty)
    }
}

/// What may be null may as well not be there.
const fn may_be_absent(ty: &Type) -> bool {
    matches!(ty, Type::Optional(_))
}
