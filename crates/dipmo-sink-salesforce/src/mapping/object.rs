//! How records of one object are made.

use dipmo_outbox::Delivery;

use super::{ChildMapping, FieldMapping, Origin, Source};

/// How records of one object are made of what is delivered to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectMapping {
    /// The API name, such as `Contact`, as destinations write it.
    pub object: String,
    /// The external id field by which records are upserted, such as `ExternalId__c`. It is filled
    /// with the record key of the unit, or with the aggregate where the intent names no records:
    /// that is also what keeps its order.
    pub external_id: String,
    /// Where the values come from.
    pub source: Source,
    /// The fields, without the external id.
    pub fields: Vec<FieldMapping>,
    /// Whether a delivery is the whole record or a change of it. Defaults to [`State::Full`].
    pub state: State,
    /// What a record is answered with that is not found. Defaults to [`Missing::Fail`].
    pub when_missing: Missing,
    /// Event types that mean that the record is to be deleted, whatever they carry.
    pub deletes: Vec<String>,
    /// A text field of the org that gets the id of the unit (`OUTBOX.ID`, of an intent with records
    /// the one of the record), such as `Outbox_Row_Id__c`. Defaults to none: a field that the org
    /// does not have fails whole calls.
    pub correlation: Option<String>,
    /// Records of other objects that are written with each of these, all or nothing. For `Graph`,
    /// `Composite` and `Auto` only.
    pub children: Vec<ChildMapping>,
}

/// Whether a delivery is the whole record or a change of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The whole record: of several for one record only the newest is sent, and a value that is not
    /// there makes its field empty.
    #[default]
    Full,
    /// A change: each is sent, one after the other, and a value that is not there leaves its field
    /// as it is.
    Partial,
}

/// What becomes of a record that is not found: it was deleted since, or was never there. One of which the
/// event announces a version is waited for first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It counts as delivered; nothing is sent.
    Skip,
    /// It is deleted in Salesforce.
    Delete,
    /// It fails with `hydration-missing`.
    #[default]
    Fail,
}

impl ObjectMapping {
    /// A mapping without fields.
    #[must_use]
    pub fn new(object: impl Into<String>, external_id: impl Into<String>, source: Source) -> Self {
        Self {
            object: object.into(),
            external_id: external_id.into(),
            source,
            fields: Vec::new(),
            state: State::default(),
            when_missing: Missing::default(),
            deletes: Vec::new(),
            correlation: None,
            children: Vec::new(),
        }
    }

    /// Fills a field.
    #[must_use]
    pub fn field(mut self, field: &str, from: Origin) -> Self {
        self.fields.push(FieldMapping::new(field, from));
        self
    }

    /// Fills a field with a column.
    #[must_use]
    pub fn column(self, field: &str, column: &'static str) -> Self {
        self.field(field, Origin::Column(column))
    }

    /// Fills a field from the payload.
    #[must_use]
    pub fn pointer(self, field: &str, pointer: &str) -> Self {
        self.field(field, Origin::Pointer(pointer.to_owned()))
    }

    /// Deliveries are changes of records.
    #[must_use]
    pub fn partial(self) -> Self {
        Self { state: State::Partial, ..self }
    }

    /// What becomes of a record that is not found.
    #[must_use]
    pub fn when_missing(self, when_missing: Missing) -> Self {
        Self { when_missing, ..self }
    }

    /// An event type that means that the record is to be deleted.
    #[must_use]
    pub fn deletes_on(mut self, event_type: &str) -> Self {
        self.deletes.push(event_type.to_owned());
        self
    }

    /// The field that gets the id of the unit.
    #[must_use]
    pub fn correlate(self, field: &str) -> Self {
        Self { correlation: Some(field.to_owned()), ..self }
    }

    /// Records of another object that are written with each of these.
    #[must_use]
    pub fn child(mut self, child: ChildMapping) -> Self {
        self.children.push(child);
        self
    }

    /// The columns of a record, the external id first.
    pub(crate) fn columns(&self) -> Vec<&str> {
        let fields = self.fields.iter().map(|mapping| mapping.field.as_str());
        let correlation = self.correlation.as_deref();
        std::iter::once(self.external_id.as_str()).chain(fields).chain(correlation).collect()
    }

    /// True when a delivery is the whole record.
    pub(crate) fn is_full(&self) -> bool {
        self.state == State::Full
    }

    /// True when a delivery means that its record is to be deleted.
    pub(crate) fn means_delete(&self, delivery: &Delivery) -> bool {
        self.deletes.contains(&delivery.event_type)
    }

    /// The fields that name a parent of the same object as far as can be told without asking: by a
    /// field that has the name of our own external id.
    pub(crate) fn own_parents(&self) -> impl Iterator<Item = &str> {
        let own = |mapping: &&FieldMapping| {
            mapping.parent().is_some_and(|(_, key)| key == self.external_id)
        };
        self.fields.iter().filter(own).map(|mapping| mapping.field.as_str())
    }

    /// The fields that name a parent.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &str> {
        let parents = self.fields.iter().filter(|mapping| mapping.parent().is_some());
        parents.map(|mapping| mapping.field.as_str())
    }
}
