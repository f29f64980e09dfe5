//! Calls of functions: which one is meant, and whether it takes these arguments.

use std::borrow::Cow;

use super::macros::MACROS;
use super::{Checker, Typed, typed};
use crate::flaw::{Flaw, Span, Trouble};
use crate::function::{Function, SIGNATURES, Signature, Style};
use crate::hint::did_you_mean;
use crate::node::{Node, Op};
use crate::pattern::Pattern;
use crate::run::{call, does_not_take};
use crate::syntax::ast::Call;
use crate::types::Type;
use crate::value::Value;

impl Checker<'_> {
    pub(super) fn call(&mut self, call: &Call, span: Span) -> Typed {
        if let Some(result) = self.macro_call(call, span) {
            return result;
        }
        let name = call.name.text.as_str();
        let Some(first) = named(name).next() else {
            // Its arguments are left alone: they may be meant for a macro, whose variable they name.
            let mut flaw = call.name.span.flaw(format!("there is no function `{name}`"));
            flaw.hint = did_you_mean(name, SIGNATURES.iter().map(|known| known.name).chain(MACROS));
            return self.flawed(span, flaw);
        };
        let arguments: Vec<Typed> = call
            .of
            .as_deref()
            .into_iter()
            .chain(&call.arguments)
            .map(|argument| self.lower(argument))
            .collect();
        match choose(call, first, &arguments) {
            Ok(signature) => self.called(signature, arguments, span),
            Err(flaw) => self.flawed(span, flaw),
        }
    }

    fn called(&mut self, signature: &Signature, mut arguments: Vec<Typed>, span: Span) -> Typed {
        let ty = signature.gives.ty();
        if signature.function == Function::Dyn {
            return Typed { ty: Type::Dyn, ..arguments.remove(0) };
        }
        let nodes: Vec<Node> = arguments.into_iter().map(|argument| argument.node).collect();
        if let Some(values) =
            nodes.iter().map(|node| node.constant().map(Cow::Borrowed)).collect::<Option<Vec<_>>>()
        {
            match call(signature.function, &values, &mut self.fuel) {
                Ok(value) => return typed(Op::Constant(value), span, ty),
                Err(Trouble::Said(message)) if signature.function.is_conversion() => {
                    return self.flawed(span, span.flaw(message));
                }
                // It fails when it is reached, which it may never be.
                Err(_) => {}
            }
        }
        if signature.function == Function::Matches && nodes[1].constant().is_some() {
            return self.pattern(nodes, span);
        }
        typed(Op::Call(signature.function, nodes.into()), span, ty)
    }

    fn pattern(&mut self, mut nodes: Vec<Node>, span: Span) -> Typed {
        let pattern = nodes.remove(1);
        let text = pattern.constant().and_then(Value::as_str).unwrap_or_default();
        match Pattern::written(text, &mut self.fuel) {
            Ok(pattern) => {
                typed(Op::Matches(Box::new((nodes.remove(0), pattern))), span, Type::Bool)
            }
            Err(message) => {
                let flaw = pattern.span.flaw(message);
                self.flawed(span, flaw)
            }
        }
    }
}

/// Every way to call what has this name.
fn named(name: &str) -> impl Iterator<Item = &'static Signature> {
    SIGNATURES.iter().filter(move |signature| signature.name == name)
}

/// The way that is meant, or why it is none; `first` is the first of them.
fn choose(
    call: &Call,
    first: &'static Signature,
    arguments: &[Typed],
) -> Result<&'static Signature, Flaw> {
    let name = first.name;
    let flaw = |message: String, meant: &Signature| {
        let hint = Some(format!("it is written `{}`", meant.usage()));
        Flaw { hint, ..call.name.span.flaw(message) }
    };
    let misplaced = match first.style {
        Style::Both => false,
        Style::Method => call.of.is_none(),
        Style::Global => call.of.is_some(),
    };
    if misplaced {
        return Err(flaw(format!("`{name}` is not called like this"), first));
    }
    let of_length = || named(name).filter(|known| known.takes.len() == arguments.len());
    let Some(nearest) = of_length().next() else {
        return Err(flaw(format!("`{name}` does not take this number of arguments"), first));
    };
    of_length().find(|known| known.fits(arguments.iter().map(|argument| &argument.ty))).ok_or_else(
        || {
            let types = arguments.iter().map(|argument| argument.ty.to_string());
            flaw(does_not_take(name, types), nearest)
        },
    )
}
