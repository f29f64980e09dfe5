//! From declared fields and columns to the types that expressions are checked against.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_api::FactSource;
use dipmo_api::sql::ValueKind;
use dipmo_cel::{Object, Type};

use crate::{Field, Fields, Shape};

/// The type of an object with these fields, as messages call it.
pub(super) fn object(name: &str, fields: &Fields) -> Type {
    let fields = fields.0.iter().map(|field| (field.name.to_string(), of_field(field))).collect();
    Type::Object(Arc::new(Object { name: name.to_owned(), fields, open: false }))
}

fn of_field(field: &Field) -> Type {
    let plain = of_shape(&field.name, &field.shape);
    if field.optional { Type::optional(plain) } else { plain }
}

fn of_shape(name: &str, shape: &Shape) -> Type {
    match shape {
        Shape::String => Type::String,
        Shape::Int => Type::Int,
        Shape::Double => Type::Double,
        Shape::Bool => Type::Bool,
        Shape::Timestamp => Type::Timestamp,
        Shape::Any => Type::Dyn,
        Shape::List(item) => Type::list(of_shape(name, item)),
        Shape::Object(fields) => object(name, fields),
    }
}

/// The type of a row of a fact.
pub(super) fn row(name: &str, fact: &FactDefinition) -> Type {
    let fields: Vec<(String, Type)> = match &fact.source {
        FactSource::Table { table, .. } => {
            let of = |column: &dipmo_api::table::Column| {
                let plain = of_kind(column.kind.into());
                let ty = if column.required { plain } else { Type::optional(plain) };
                (column.name.to_owned(), ty)
            };
            table.columns.iter().map(of).collect()
        }
        FactSource::Query { query, .. } => {
            let of = |(name, kind): &(&'static str, ValueKind)| {
                ((*name).to_owned(), Type::optional(of_kind(*kind)))
            };
            query.columns().iter().map(of).collect()
        }
    };
    Type::Object(Arc::new(Object { name: name.to_owned(), fields, open: false }))
}

/// What an expression must give for a column or a parameter of a kind.
pub(super) fn of_kind(kind: ValueKind) -> Type {
    match kind {
        ValueKind::Text => Type::String,
        ValueKind::Integer => Type::Int,
        ValueKind::Boolean => Type::Bool,
        ValueKind::Timestamp => Type::Timestamp,
        ValueKind::Json => Type::Dyn,
    }
}

/// What the reports on deliveries say.
pub(super) fn delivery_report() -> Type {
    let object = |name: &str, fields: Vec<(&str, Type)>| {
        let fields = fields.into_iter().map(|(name, ty)| (name.to_owned(), ty)).collect();
        Type::Object(Arc::new(Object { name: name.to_owned(), fields, open: false }))
    };
    let failure = vec![
        ("record", Type::optional(Type::String)),
        ("code", Type::String),
        ("message", Type::String),
    ];
    object(
        "event",
        vec![
            ("eventType", Type::String),
            ("dispatched", Type::Int),
            ("failed", Type::Int),
            ("failures", Type::list(object("failure", failure))),
        ],
    )
}
