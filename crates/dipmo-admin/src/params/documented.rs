//! Fields in the OpenAPI document: parameters of a query, and filters in a body.

use std::borrow::Cow;

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat,
    SchemaType, Type,
};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::given::MOST_WORDS;
use super::{Asked, Field, Filter, Kind, Query, Wanted};
use crate::trail::Reason;

/// No database keeps a NUL in a text.
const NO_NUL: &str = r"^[^\x00]*$";

impl<T: Query> IntoParams for Asked<T> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let parameter = |field: &'static Field| {
            ParameterBuilder::new()
                .name(field.name)
                .parameter_in(ParameterIn::Query)
                .required(if matches!(field.kind, Kind::Because) {
                    Required::True
                } else {
                    Required::False
                })
                .description(Some(field.about))
                .schema(Some(schema(field.kind, None)))
                .build()
        };
        T::fields().into_iter().map(parameter).collect()
    }
}

impl<T: Filter> PartialSchema for Wanted<T> {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new()
            .description(Some("A filter: all that is said must hold, and something must be said."))
            .min_properties(Some(1))
            .additional_properties(Some(AdditionalProperties::FreeForm(false)));
        let with = |object: ObjectBuilder, field: &'static Field| {
            object.property(field.name, schema(field.kind, Some(field.about)))
        };
        T::fields().into_iter().fold(object, with).into()
    }
}

impl<T: Filter> ToSchema for Wanted<T> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::NAME)
    }
}

fn schema(kind: Kind, about: Option<&str>) -> RefOr<Schema> {
    let of = |kind| ObjectBuilder::new().schema_type(SchemaType::Type(kind));
    let text = || of(Type::String).description(about);
    match kind {
        Kind::Text => text().min_length(Some(1)).pattern(Some(NO_NUL)).into(),
        Kind::Reason | Kind::Because => Reason::schema(text()).into(),
        Kind::Fingerprint => text().pattern(Some("^[0-9A-Fa-f]{16}$")).into(),
        Kind::Word(words) => text().enum_values(Some(words.iter().copied())).into(),
        Kind::Words(words) => {
            let items = of(Type::String).enum_values(Some(words.iter().copied()));
            let words = ArrayBuilder::new().items(items).description(about);
            words.min_items(Some(1)).max_items(Some(MOST_WORDS)).into()
        }
        Kind::Time => text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))).into(),
        Kind::Number(least, most) => {
            let format = Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
            let number = of(Type::Integer).format(format).description(about);
            let number = if least == i64::MIN { number } else { number.minimum(Some(least)) };
            if most == i64::MAX { number } else { number.maximum(Some(most)) }.into()
        }
        Kind::Flag => of(Type::Boolean).description(about).into(),
    }
}
