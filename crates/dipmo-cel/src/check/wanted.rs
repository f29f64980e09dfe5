//! When a type is wanted: the flaw is said where it is, in the branch of a choice or the element of a list.

use super::{Checker, Typed, typed};
use crate::hint::did_you_mean;
use crate::node::Op;
use crate::syntax::ast::{Ast, Kind};
use crate::types::{Object, Type};
use crate::value::Value;

impl Checker<'_> {
    pub(super) fn lower_maybe(&mut self, ast: &Ast, wanted: Option<&Type>) -> Typed {
        match wanted {
            Some(wanted) => self.lower_as(ast, wanted),
            None => self.lower(ast),
        }
    }

    pub(super) fn lower_as(&mut self, ast: &Ast, wanted: &Type) -> Typed {
        let found = match (&ast.kind, wanted.bare()) {
            (Kind::Choice(parts), Type::Dyn) => return self.choice(parts, None, ast.span),
            (Kind::Choice(parts), _) => return self.choice(parts, Some(wanted), ast.span),
            (Kind::List(parts), Type::List(of)) => return self.list(parts, Some(of), ast.span),
            (Kind::Map(entries), Type::Map(of)) => {
                return self.map(entries, |_, _| Some(&**of), ast.span);
            }
            (Kind::Map(entries), Type::Object(object)) => {
                self.whole(entries, object, ast);
                let field = |checker: &mut Self, key: &Ast| checker.wanted_field(key, object);
                let map = self.map(entries, field, ast.span);
                return Typed { ty: Type::Object(object.clone()), ..map };
            }
            _ => self.lower(ast),
        };
        if found.ty.fits(wanted) {
            return found;
        }
        let message = format!(
            "this is {}, and {} is wanted here",
            found.ty.with_article(),
            wanted.with_article()
        );
        let mut flaw = ast.span.flaw(message);
        flaw.hint = conversion(found.ty.bare(), wanted.bare());
        self.flaws.push(flaw);
        typed(Op::Constant(Value::Null), ast.span, wanted.clone())
    }

    /// A field that is wanted and not written. With keys that are computed nobody can know.
    fn whole(&mut self, entries: &[(Ast, Ast)], object: &Object, ast: &Ast) {
        let Some(keys) = entries.iter().map(|(key, _)| literal(key)).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        for (name, ty) in &object.fields {
            if !matches!(ty, Type::Optional(_) | Type::Dyn) && !keys.contains(&name.as_str()) {
                let message = format!("`{name}` is not there, and {} is wanted", ty.with_article());
                self.flaws.push(ast.span.flaw(message));
            }
        }
    }

    fn wanted_field<'o>(&mut self, key: &Ast, object: &'o Object) -> Option<&'o Type> {
        let name = literal(key)?;
        let found = object.field(name);
        if found.is_none() && !object.open {
            let mut flaw = key.span.flaw(format!("{} has no field `{name}`", of(object)));
            flaw.hint = did_you_mean(name, object.fields.iter().map(|(name, _)| name.as_str()));
            self.flaws.push(flaw);
        }
        found
    }
}

/// What messages call an object.
pub(super) fn of(object: &Object) -> String {
    if object.name.is_empty() { "this".to_owned() } else { format!("`{}`", object.name) }
}

fn literal(ast: &Ast) -> Option<&str> {
    match &ast.kind {
        Kind::Literal(value) => value.as_str(),
        _ => None,
    }
}

/// The function that makes one of the other, where there is one.
fn conversion(found: &Type, wanted: &Type) -> Option<String> {
    use Type::{Bool, Bytes, Double, Duration, Int, String, Timestamp, Uint};
    let there = match wanted {
        String => matches!(found, Bool | Int | Uint | Double | Timestamp | Duration | Bytes),
        Int | Uint => matches!(found, Int | Uint | Double | String),
        Double => matches!(found, Int | Uint | String),
        Timestamp | Duration | Bytes => matches!(found, String),
        _ => false,
    };
    there.then(|| format!("`{wanted}(…)` makes one of it"))
}
