//! The children of records.

use std::collections::HashMap;

use dipmo_api::FactRow;
use dipmo_domain::Failure;
use dipmo_outbox::{Delivery, Published};
use dipmo_store::Lookup;
use serde_json::Value as Json;

use super::documents::{self, Documents};
use super::record::{About, check_key};
use super::{Shape, ShapedChild, Values, hydrate};
use crate::error::SinkError;
use crate::mapping::{ChildMapping, ChildSource, ObjectMapping, Source, State, key_of, text};

/// Rows of children by the key of their parent.
type Families = HashMap<String, Vec<FactRow>>;

/// Adds to each record its children; each table of children is read once.
pub(super) async fn add(
    lookup: &dyn Lookup,
    mapping: &ObjectMapping,
    deliveries: &[Delivery],
    documents: &mut Documents,
    shapes: &mut [Shape],
) -> Result<(), SinkError> {
    for (place, child) in mapping.children.iter().enumerate() {
        let families = match &child.source {
            ChildSource::Payload { .. } => Families::new(),
            ChildSource::Table { fact, .. } => {
                let records = deliveries.iter().zip(&*shapes);
                let parents = records.filter(|(_, shape)| matches!(shape, Shape::Record(_)));
                let rows = hydrate::all(lookup, fact, parents.map(|(parent, _)| parent)).await?;
                families(rows)
            }
        };
        for (delivery, shape) in deliveries.iter().zip(&mut *shapes) {
            let Shape::Record(record) = shape else { continue };
            let made = Nursery { mapping, child, place, delivery }.children(&families, documents);
            match made {
                Ok(children) => record.children.extend(children),
                Err(error) => *shape = Shape::Answer(Published::Refused(Failure::from(&error))),
            }
        }
    }
    Ok(())
}

fn families(rows: Vec<(String, FactRow)>) -> Families {
    let mut families = Families::new();
    for (parent, row) in rows {
        families.entry(parent).or_default().push(row);
    }
    families
}

/// Makes the children of one record by one mapping.
struct Nursery<'a> {
    mapping: &'a ObjectMapping,
    child: &'a ChildMapping,
    place: usize,
    delivery: &'a Delivery,
}

impl Nursery<'_> {
    fn children(
        &self,
        families: &Families,
        documents: &mut Documents,
    ) -> Result<Vec<ShapedChild>, SinkError> {
        match &self.child.source {
            ChildSource::Payload { items, key } => self.carried(items, key, documents),
            ChildSource::Table { key, .. } => {
                let rows = families.get(key_of(self.delivery)).map_or(&[][..], Vec::as_slice);
                let mut children = rows
                    .iter()
                    .map(|row| {
                        let key = row.get(key).and_then(text).unwrap_or_default();
                        self.one(&key, Values { row: Some(row), document: None })
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                // A look-up has no order; the same record is to be the same call every time.
                children.sort_by(|left, right| left.key.cmp(&right.key));
                Ok(children)
            }
        }
    }

    fn carried(
        &self,
        items: &str,
        key: &str,
        documents: &mut Documents,
    ) -> Result<Vec<ShapedChild>, SinkError> {
        let Source::Payload { records } = &self.mapping.source else { return Ok(Vec::new()) };
        let document = documents.get(self.delivery)?;
        let record = documents::record(self.delivery, &document, records.as_deref())?;
        let items = match record.and_then(|record| record.pointer(items)) {
            None | Some(Json::Null) => return Ok(Vec::new()),
            Some(Json::Array(items)) => items,
            Some(_) => {
                let problem = format!("{items} is no list of {}", self.child.object);
                return Err(SinkError::payload_unfit(&self.delivery.destination, problem));
            }
        };
        let child = |item: &Json| {
            let key = match item.pointer(key) {
                Some(Json::String(key)) => key.clone(),
                Some(Json::Number(key)) => key.to_string(),
                _ => String::new(),
            };
            self.one(&key, Values { row: None, document: Some(item) })
        };
        items.iter().map(child).collect()
    }

    fn one(&self, key: &str, values: Values<'_>) -> Result<ShapedChild, SinkError> {
        let field = format!("{}.{}", self.child.object, self.child.external_id);
        check_key(self.delivery, &field, key)?;
        let about = About { delivery: self.delivery, key, state: State::Full };
        let fields = about.fields(&self.child.fields, values)?;
        Ok(ShapedChild { mapping: self.place, key: key.to_owned(), fields })
    }
}
