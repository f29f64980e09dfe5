//! Calls that are no functions: `has`, and those that go through a list.

use super::{Checker, Typed, typed};
use crate::flaw::Span;
use crate::node::{Field, Fold, FoldKind, Op};
use crate::syntax::ast::{Ast, Call, Kind};
use crate::types::Type;

pub(super) const MACROS: [&str; 6] = ["has", "all", "exists", "exists_one", "map", "filter"];

impl Checker<'_> {
    /// `None` if it is a function.
    pub(super) fn macro_call(&mut self, call: &Call, span: Span) -> Option<Typed> {
        let kind = match (call.name.text.as_str(), &call.of) {
            ("has", None) => return Some(self.has(call, span)),
            ("all", Some(_)) => FoldKind::All,
            ("exists", Some(_)) => FoldKind::Exists,
            ("exists_one" | "existsOne", Some(_)) => FoldKind::ExistsOne,
            ("map", Some(_)) => FoldKind::Map,
            ("filter", Some(_)) => FoldKind::Filter,
            _ => return None,
        };
        let range = call.of.as_deref()?;
        Some(match (&call.arguments[..], kind) {
            ([variable, body], _) => self.fold(kind, range, variable, None, body, span),
            ([variable, filter, body], FoldKind::Map) => {
                self.fold(kind, range, variable, Some(filter), body, span)
            }
            _ => {
                let mut flaw = call
                    .name
                    .span
                    .flaw(format!("`{}` wants a name and an expression", call.name.text));
                flaw.hint = Some(format!("it is written `list.{}(x, …)`", call.name.text));
                self.flawed(span, flaw)
            }
        })
    }

    fn has(&mut self, call: &Call, span: Span) -> Typed {
        let [argument] = &call.arguments[..] else {
            let flaw = call.name.span.flaw("`has` wants one field");
            return self.flawed(span, flaw);
        };
        let Kind::Select(of, name) = &argument.kind else {
            let mut flaw = argument.span.flaw("`has` wants a field");
            flaw.hint = Some(
                "it is written `has(event.field)`; `\"key\" in map` asks for a key".to_owned(),
            );
            return self.flawed(span, flaw);
        };
        let of = self.field_owner(of, &name.text);
        if self.field_type(&of.ty, &name.text, name.span).is_none() {
            return typed(Op::Constant(false.into()), span, Type::Bool);
        }
        let field = Field { of: of.node, name: name.text.as_str().into(), optional: true };
        typed(Op::Has(Box::new(field)), span, Type::Bool)
    }

    fn fold(
        &mut self,
        kind: FoldKind,
        range: &Ast,
        variable: &Ast,
        filter: Option<&Ast>,
        body: &Ast,
        span: Span,
    ) -> Typed {
        let Kind::Variable(name) = &variable.kind else {
            let flaw = variable.span.flaw("a name for the element is wanted here");
            return self.flawed(span, flaw);
        };
        let range = self.lower(range);
        let element = match range.ty.bare() {
            Type::List(of) => (**of).clone(),
            Type::Map(_) | Type::Object(_) => Type::String,
            Type::Dyn => Type::Dyn,
            other => {
                let message =
                    format!("this is {}, and a list or a map is wanted here", other.with_article());
                let flaw = range.node.span.flaw(message);
                return self.flawed(span, flaw);
            }
        };
        self.locals.push((name.text.clone(), element.clone()));
        let filter = filter.map(|filter| self.lower_as(filter, &Type::Bool).node);
        let body = match kind {
            FoldKind::Map => self.lower(body),
            _ => self.lower_as(body, &Type::Bool),
        };
        self.locals.pop();
        let ty = match kind {
            FoldKind::Map => Type::list(body.ty),
            FoldKind::Filter => Type::list(element),
            _ => Type::Bool,
        };
        typed(
            Op::Fold(Box::new(Fold { kind, range: range.node, filter, body: body.node })),
            span,
            ty,
        )
    }
}
