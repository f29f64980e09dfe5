//! Times in answers.

use dipmo_domain::Timestamp;
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// A point in time as RFC 3339 writes it, in UTC and to the microsecond, so that times sort as texts do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) Timestamp);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.to_string();
        let text = text.trim_end_matches('Z');
        let (second, fraction) = text.split_once('.').unwrap_or((text, ""));
        serializer.collect_str(&format_args!("{second}.{fraction:0<6}Z"))
    }
}

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into()
    }
}

impl ToSchema for Moment {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sort_as_texts_do() {
        let text = |micros| {
            let moment = Moment(Timestamp::from_micros(micros).unwrap());
            serde_json::to_string(&moment).unwrap()
        };
        assert_eq!(text(0), "\"1970-01-01T00:00:00.000000Z\"");
        assert_eq!(text(310_000), "\"1970-01-01T00:00:00.310000Z\"");
        assert!(text(310_000) < text(316_000) && text(316_000) < text(1_000_000));
    }
}
