//! From deliveries to records: read what a table has of them, and map it to fields.
//!
//! **Invariant:** of a slice each table is read once, just before it is sent; and a record that is
//! older than what its event announced is never the answer.

mod cell;
mod children;
mod documents;
mod hydrate;
mod record;

use std::sync::Arc;

use dipmo_api::FactRow;
use dipmo_domain::Failure;
use dipmo_outbox::{Delivery, Published};
use dipmo_store::Lookup;
use serde_json::Value as Json;

use crate::error::SinkError;
use crate::mapping::{Missing, ObjectMapping, Source, key_of};
use crate::options::Patience;
use documents::Documents;
use hydrate::Rows;
pub(crate) use record::{Shaped, ShapedChild};

/// Makes records of deliveries.
#[derive(Clone)]
pub(crate) struct Shaper {
    lookup: Arc<dyn Lookup>,
    older: Patience,
}

/// What a delivery became.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// To be upserted.
    Record(Shaped),
    /// To be deleted.
    Delete {
        /// The external id.
        key: String,
    },
    /// Nothing is to be sent: this is the answer.
    Answer(Published),
}

/// Where the values of one delivery are.
#[derive(Clone, Copy, Default)]
struct Values<'a> {
    row: Option<&'a FactRow>,
    document: Option<&'a Json>,
}

impl Shaper {
    /// `older` says how long a row that is too old, or not there yet, is waited for.
    pub(crate) fn new(lookup: Arc<dyn Lookup>, older: Patience) -> Self {
        Self { lookup, older }
    }

    /// Makes a record of each delivery, in its place.
    ///
    /// # Errors
    /// When a table cannot be read: then nothing is known of any of them.
    pub(crate) async fn shape(
        &self,
        mapping: &ObjectMapping,
        deliveries: &[Delivery],
    ) -> Result<Vec<Shape>, SinkError> {
        let rows = match &mapping.source {
            Source::Payload { .. } => Rows::default(),
            Source::Table { fact, version, .. } => {
                let wanted = deliveries.iter().filter(|delivery| !mapping.means_delete(delivery));
                hydrate::newest(&*self.lookup, fact, *version, wanted).await?
            }
        };
        let mut documents = Documents::default();
        let mut shapes = Vec::with_capacity(deliveries.len());
        for delivery in deliveries {
            let shape = self.shape_one(mapping, delivery, &rows, &mut documents);
            shapes.push(shape.unwrap_or_else(|error| self.answer(delivery, &error)));
        }
        children::add(&*self.lookup, mapping, deliveries, &mut documents, &mut shapes).await?;
        Ok(shapes)
    }

    /// What a delivery is answered with that no record was made of.
    fn answer(&self, delivery: &Delivery, error: &SinkError) -> Shape {
        let failure = Failure::from(error);
        Shape::Answer(match error {
            SinkError::HydrationOlder { .. } | SinkError::HydrationAwaited { .. } => {
                self.older.answer(delivery, failure)
            }
            _ => Published::Refused(failure),
        })
    }

    fn shape_one(
        &self,
        mapping: &ObjectMapping,
        delivery: &Delivery,
        rows: &Rows,
        documents: &mut Documents,
    ) -> Result<Shape, SinkError> {
        let key = key_of(delivery);
        record::check_key(delivery, &mapping.external_id, key)?;
        if mapping.means_delete(delivery) {
            return Ok(Shape::Delete { key: key.to_owned() });
        }
        match &mapping.source {
            Source::Payload { records } => {
                let document = documents.get(delivery)?;
                match documents::record(delivery, &document, records.as_deref())? {
                    None => missing(mapping, delivery),
                    // A payload of null says that there is no such record any more.
                    Some(Json::Null) => Ok(Shape::Delete { key: key.to_owned() }),
                    Some(record) => {
                        let values = Values { row: None, document: Some(record) };
                        record::make(mapping, delivery, values, None).map(Shape::Record)
                    }
                }
            }
            Source::Table { version, as_of, .. } => {
                let announced = announced(delivery, as_of.as_deref(), documents)?;
                let Some(row) = rows.get(key) else {
                    return match announced {
                        // Whoever is behind knows nothing of new rows either.
                        Some(announced) if self.older.lasts(delivery) => {
                            let destination = Box::new(delivery.destination.clone());
                            let key = key.to_owned();
                            Err(SinkError::HydrationAwaited { destination, key, announced })
                        }
                        _ => missing(mapping, delivery),
                    };
                };
                let found = version.and_then(|version| row.get(version)?.as_integer());
                if let Some(announced) = announced.filter(|announced| found < Some(*announced)) {
                    let destination = Box::new(delivery.destination.clone());
                    let key = key.to_owned();
                    return Err(SinkError::HydrationOlder { destination, key, found, announced });
                }
                let document =
                    mapping.reads_payload().then(|| documents.get(delivery)).transpose()?;
                let values = Values { row: Some(row), document: document.as_deref() };
                record::make(mapping, delivery, values, found).map(Shape::Record)
            }
        }
    }
}

/// The version that an event announces.
fn announced(
    delivery: &Delivery,
    as_of: Option<&str>,
    documents: &mut Documents,
) -> Result<Option<i64>, SinkError> {
    let Some(pointer) = as_of else { return Ok(None) };
    match documents.get(delivery)?.pointer(pointer) {
        None | Some(Json::Null) => Ok(None),
        Some(version) => version.as_i64().map(Some).ok_or_else(|| {
            let problem = format!("{pointer} is no whole number");
            SinkError::payload_unfit(&delivery.destination, problem)
        }),
    }
}

impl ObjectMapping {
    /// The version that the event of a delivery announces: no older row may be sent for it.
    ///
    /// # Errors
    /// When the payload has none that could be compared.
    pub(crate) fn announced(&self, delivery: &Delivery) -> Result<Option<i64>, SinkError> {
        match &self.source {
            Source::Payload { .. } => Ok(None),
            Source::Table { as_of, .. } => {
                announced(delivery, as_of.as_deref(), &mut Documents::default())
            }
        }
    }
}

/// Nothing was found: the policy decides.
fn missing(mapping: &ObjectMapping, delivery: &Delivery) -> Result<Shape, SinkError> {
    let key = key_of(delivery).to_owned();
    match mapping.when_missing {
        Missing::Skip => Ok(Shape::Answer(Published::delivered())),
        Missing::Delete => Ok(Shape::Delete { key }),
        Missing::Fail => {
            let destination = Box::new(delivery.destination.clone());
            Err(SinkError::HydrationMissing { destination, key })
        }
    }
}
