//! Compiling expressions, with their flaws at their places in the file.

use std::sync::Arc;

use dipmo_cel::{Program, Scope, Type, Value};

use crate::declared::template::Template;
use crate::problem::{Problem, codes};
use crate::{Expr, Files, Problems, ValueExpr, ValueKind};

/// Compiles what is written in one scope.
pub(super) struct Compiler<'a> {
    pub(super) files: &'a Files,
    pub(super) scope: Scope,
}

impl Compiler<'_> {
    /// An expression of a type.
    pub(super) fn expression(
        &self,
        expression: &Expr,
        wanted: &Type,
        problems: &mut Problems,
    ) -> Option<Program> {
        match Program::compile(&expression.text, &self.scope, wanted) {
            Ok(program) => Some(program),
            Err(flaws) => {
                for flaw in flaws {
                    let place = expression.locate(self.files, flaw.span);
                    let problem = Problem::error(codes::EXPRESSION_INVALID, place, flaw.message);
                    problems.push(problem.maybe_hint(flaw.hint));
                }
                None
            }
        }
    }

    /// A value, or a tree of them, of a type.
    pub(super) fn value(
        &self,
        value: &ValueExpr,
        wanted: &Type,
        problems: &mut Problems,
    ) -> Option<Template> {
        match &value.kind {
            ValueKind::Literal(literal) => self.literal(value, literal, wanted, problems),
            ValueKind::Expr(expression) => {
                self.expression(expression, wanted, problems).map(Template::Expression)
            }
            ValueKind::List(items) => {
                let item = match wanted {
                    Type::List(item) => item.as_ref(),
                    _ => &Type::Dyn,
                };
                let items: Vec<_> = items.iter().map(|it| self.value(it, item, problems)).collect();
                Some(Template::List(items.into_iter().collect::<Option<_>>()?))
            }
            ValueKind::Map(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, it)| {
                        Some((Arc::from(name.as_str()), self.value(it, &Type::Dyn, problems)?))
                    })
                    .collect();
                Some(Template::Map(fields.into_iter().collect::<Option<_>>()?))
            }
        }
    }

    fn literal(
        &self,
        value: &ValueExpr,
        literal: &serde_json::Value,
        wanted: &Type,
        problems: &mut Problems,
    ) -> Option<Template> {
        let made: Value = serde_json::from_value(literal.clone()).unwrap_or(Value::Null);
        match wanted.conform(made) {
            Ok(made) => Some(Template::Literal(made)),
            Err(mismatch) => {
                let mut problem =
                    Problem::error(codes::VALUE_INVALID, value.place, mismatch.to_string());
                // Somebody forgot the sign of an expression, or so it looks.
                if let Some(text) = literal.as_str()
                    && Program::compile(text, &self.scope, wanted).is_ok()
                {
                    problem = problem.hint(format!("an expression begins with `=`: `={text}`"));
                }
                problems.push(problem);
                None
            }
        }
    }
}
