//! Numbers and names in paths.

use axum::extract::{FromRequestParts, Path};
use hyper::http::request::Parts;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{RefOr, Required, Schema};

use crate::problem::Problem;

/// `{id}`: the number of something.
pub(crate) struct Id(pub(crate) i64);

/// `{name}`: the name of something.
pub(crate) struct Name(pub(crate) String);

/// `{id}`: the id of an aggregate.
pub(crate) struct Aggregate(pub(crate) String);

/// `{name}` and `{id}`: something of something.
pub(crate) struct NameAndId(pub(crate) String, pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        read(parts, state).await.map(Self).ok_or_else(|| {
            Problem::parameter("id", "is no number", "say the number that a list shows")
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        read(parts, state).await.map(Self).ok_or_else(no_text)
    }
}

/// The longest id that a store keeps as it is.
const LONGEST_AGGREGATE: usize = 200;

impl<S: Send + Sync> FromRequestParts<S> for Aggregate {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let id: String = read(parts, state).await.ok_or_else(no_text)?;
        let fits = !id.contains('\0') && id.chars().count() <= LONGEST_AGGREGATE;
        let problem = || Problem::parameter("id", "cannot be this", "say the id that a list shows");
        fits.then_some(Self(id)).ok_or_else(problem)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for NameAndId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let (name, id) = read::<(String, String), S>(parts, state).await.ok_or_else(no_text)?;
        // PostgreSQL keeps no NUL, and so nothing with one could be found.
        if id.contains('\0') { Err(no_text()) } else { Ok(Self(name, id)) }
    }
}

impl IntoParams for Id {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let number = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Integer))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
        vec![parameter("id", number.into())]
    }
}

impl IntoParams for Name {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![parameter("name", text())]
    }
}

impl IntoParams for Aggregate {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .max_length(Some(LONGEST_AGGREGATE));
        vec![parameter("id", id.into())]
    }
}

impl IntoParams for NameAndId {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![parameter("name", text()), parameter("id", text())]
    }
}

async fn read<T, S>(parts: &mut Parts, state: &S) -> Option<T>
where
    T: DeserializeOwned + Send,
    S: Send + Sync,
{
    let Path(read) = Path::from_request_parts(parts, state).await.ok()?;
    Some(read)
}

fn no_text() -> Problem {
    Problem::parameter("name", "is no text", "write it in UTF-8, percent-encoded")
}

fn text() -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).into()
}

fn parameter(name: &str, schema: RefOr<Schema>) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(schema))
        .build()
}
