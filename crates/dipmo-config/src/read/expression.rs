//! Expressions of CEL, statements of SQL, and values that may be expressions.

use std::ops::Deref;

use serde_json::{Number, Value, json};

use super::{Read, scalar, text};
use crate::node::{Kind, Node, Passage, Scalar, ScalarKind};
use crate::schema::Schemas;
use crate::{Name, Place, Problems, read};

/// An expression of CEL. It is compiled later.
#[derive(Clone, Debug)]
pub struct Expr(pub Passage);

impl Deref for Expr {
    type Target = Passage;

    fn deref(&self) -> &Passage {
        &self.0
    }
}

impl Read for Expr {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let scalar = scalar(node, "an expression", "event.amount > 100", problems)?;
        if scalar.text.trim_start().starts_with('=') {
            let message = "this is always an expression: it has no `=` before it";
            problems.push(read::invalid(node.place, message).hint("remove the `=`"));
            return None;
        }
        Some(Self(Passage::new(scalar, node.place, 0)))
    }

    fn schema(schemas: &mut Schemas) -> Value {
        schemas.define("Expression", |_| {
            json!({
                "description": "An expression of CEL.",
                "type": ["string", "boolean", "number"],
                "examples": ["event.amount > 100 && data.customerId != null"],
            })
        })
    }
}

/// A statement of SQL with named parameters such as `:customer`.
#[derive(Clone, Debug)]
pub struct Sql(pub Passage);

impl Deref for Sql {
    type Target = Passage;

    fn deref(&self) -> &Passage {
        &self.0
    }
}

impl Read for Sql {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        text::text(node, problems).map(|scalar| Self(Passage::new(scalar, node.place, 0)))
    }

    fn schema(schemas: &mut Schemas) -> Value {
        schemas.define("Sql", |_| {
            json!({
                "description": "A statement of SQL with named parameters such as `:customer`.",
                "type": "string",
                "examples": ["select HIT_ID from HITS where CUSTOMER_ID = :customer"],
            })
        })
    }
}

/// A value, or a tree of them: a text that begins with `=` is an expression, as in a spreadsheet, and
/// `==x` is the text `=x`.
#[derive(Clone, Debug)]
pub struct ValueExpr {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub kind: ValueKind,
}

/// What a [`ValueExpr`] is.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// Itself: nothing, a truth, a number or a text.
    Literal(Value),
    /// An expression.
    Expr(Expr),
    /// A list of values.
    List(Vec<ValueExpr>),
    /// A map of values, in the order of the file.
    Map(Vec<(Name, ValueExpr)>),
}

impl Read for ValueExpr {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let kind = match &node.kind {
            Kind::Scalar(scalar) => of_scalar(scalar, node.place),
            Kind::List(_) => ValueKind::List(Vec::read(node, problems)?),
            Kind::Map(_) => ValueKind::Map(read::Map::read(node, problems)?.0),
        };
        Some(Self { place: node.place, kind })
    }

    fn schema(schemas: &mut Schemas) -> Value {
        schemas.define("Value", |_| {
            json!({
                "description": "A value: a text that begins with `=` is an expression of CEL, everything else is itself. \
                                `==x` is the text `=x`.",
                "examples": ["OPEN", "=event.customerId", {"hitId": "=id"}],
            })
        })
    }
}

fn of_scalar(scalar: &Scalar, place: Place) -> ValueKind {
    let number = |float: f64| Number::from_f64(float).map(Value::Number);
    ValueKind::Literal(match scalar.kind() {
        ScalarKind::Null => Value::Null,
        ScalarKind::Bool(value) => Value::Bool(value),
        ScalarKind::Integer(value) => json!(value),
        // What no JSON can say stays a text.
        ScalarKind::Float(value) => number(value).unwrap_or_else(|| json!(scalar.text)),
        ScalarKind::Text => match scalar.text.strip_prefix('=') {
            Some(text) if text.starts_with('=') => json!(text),
            Some(_) => return ValueKind::Expr(Expr(Passage::new(scalar, place, 1))),
            None => json!(scalar.text),
        },
    })
}
