//! The rows of one chunk, written in one transaction.

use std::sync::Arc;

use hashbrown::HashMap;

use super::outcome::{Failure, Outcome};
use super::rows::Rows;
use super::spec::{Operation, Spec};
use crate::org::columns::{ColumnError, Columns};
use crate::org::fields::Fields;
use crate::org::id::RecordId;
use crate::org::transaction::Transaction;
use crate::org::write::{Target, Write, Written};
use crate::refusal::Refusal;
use crate::schema::{FieldId, ObjectId, Schema};

/// How the rows of a job are written.
#[derive(Debug)]
pub(super) struct Plan {
    object: ObjectId,
    columns: Columns,
    action: Action,
}

/// What is done with each row; a place is a position in the row, absent where the column is.
#[derive(Debug)]
enum Action {
    Insert,
    Update { id: Option<usize> },
    Upsert { field: FieldId, name: Arc<str>, case_sensitive: bool, key: Option<usize> },
    Delete { id: Option<usize>, hard: bool },
}

/// What became of a row of a chunk.
#[derive(Debug)]
pub(super) enum Settled {
    Done(Outcome),
    Failed(Failure),
    /// A record is locked by somebody else, and the row may be tried again.
    Locked(Failure),
}

impl Plan {
    /// The plan, or the `errorMessage` of a job whose header is wrong.
    pub(super) fn new(schema: &Schema, spec: &Spec, header: &[String]) -> Result<Plan, String> {
        let columns =
            Columns::parse(schema, spec.object, header).map_err(|error| refuse_column(&error))?;
        let id = columns.position(FieldId::ID);
        let action = match (spec.operation, spec.external_id) {
            (Operation::Insert, _) => Action::Insert,
            (Operation::Upsert, Some(field)) => Action::Upsert {
                field,
                name: schema[spec.object][field].name.clone(),
                case_sensitive: schema[spec.object][field].case_sensitive,
                key: columns.position(field),
            },
            (Operation::Update | Operation::Upsert, _) => Action::Update { id },
            (Operation::Delete, _) => Action::Delete { id, hard: false },
            (Operation::HardDelete, _) => Action::Delete { id, hard: true },
        };
        Ok(Plan { object: spec.object, columns, action })
    }

    /// The rows of a chunk whose external id another row of it has too. Salesforce rejects them all.
    pub(super) fn duplicates(&self, rows: &Rows) -> Vec<usize> {
        let Action::Upsert { case_sensitive, key: Some(key), .. } = self.action else {
            return Vec::new();
        };
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::with_capacity(rows.len());
        for row in 0..rows.len() {
            let value = rows.row(row).nth(key).unwrap_or_default();
            let value = if case_sensitive { value.to_owned() } else { value.to_lowercase() };
            if !value.is_empty() {
                by_key.entry(value).or_default().push(row);
            }
        }
        by_key.into_values().filter(|rows| rows.len() > 1).flatten().collect()
    }

    /// What is said to a duplicate.
    pub(super) fn refuse_duplicate(&self, cells: &[&str]) -> Failure {
        let (name, key) = match &self.action {
            Action::Upsert { name, key, .. } => (&**name, *key),
            Action::Insert | Action::Update { .. } | Action::Delete { .. } => ("Id", None),
        };
        let value = key.and_then(|key| cells.get(key)).copied().unwrap_or_default();
        let refusal =
            Refusal::new("DUPLICATE_VALUE", format!("Duplicate external id specified: {value}"))
                .about([name]);
        Failure { record: None, error: refusal.in_bulk().into() }
    }

    /// Writes one row.
    pub(super) fn write(&self, tx: &mut Transaction<'_>, cells: &[&str]) -> Settled {
        let mut record = None;
        let before = tx.savepoint();
        match self.try_write(tx, cells, &mut record) {
            Ok(Written { id, created: true }) => Settled::Done(Outcome::Created(id)),
            Ok(Written { id, created: false }) => Settled::Done(Outcome::Changed(id)),
            Err(refusal) => {
                // The deletion of a record may fail at one of its children.
                tx.rollback_to(before);
                let failure = Failure { record, error: refusal.in_bulk().into() };
                if refusal.code == "UNABLE_TO_LOCK_ROW" && tx.blocked().is_some() {
                    Settled::Locked(failure)
                } else {
                    Settled::Failed(failure)
                }
            }
        }
    }

    /// Tells of the record as soon as it is known, because a refusal of it names it.
    fn try_write(
        &self,
        tx: &mut Transaction<'_>,
        cells: &[&str],
        record: &mut Option<RecordId>,
    ) -> Result<Written, Refusal> {
        let fields = Fields::Row { columns: &self.columns, cells };
        let target = match &self.action {
            Action::Insert => Target::Insert,
            Action::Upsert { field, name, key, .. } => {
                let value = match given(cells, *key) {
                    Some(value) => value,
                    // An upsert by the id itself makes a new record where there is none.
                    None if *field == FieldId::ID => "",
                    None => return Err(missing(format!("{name} not specified"))),
                };
                Target::Upsert { field: *field, value }
            }
            Action::Update { id } => {
                let id = given(cells, *id)
                    .ok_or_else(|| missing("Id not specified in an update call"))?;
                Target::Update(*record.insert(tx.resolve(self.object, id)?))
            }
            Action::Delete { id, hard } => {
                let id = given(cells, *id)
                    .ok_or_else(|| missing("Id not specified in a delete call"))?;
                let id = *record.insert(tx.resolve(self.object, id)?);
                if *hard {
                    tx.erase(id)?;
                } else {
                    tx.delete(id)?;
                }
                return Ok(Written { id, created: false });
            }
        };
        tx.write(self.object, &Write { target, fields })
    }
}

/// The `errorMessage` about a column that cannot be.
fn refuse_column(error: &ColumnError) -> String {
    let problem = match error {
        ColumnError::Unknown(name) => format!("Field name not found : {name}"),
        ColumnError::UnknownRelationship(name) => format!("Unable to find relationship: {name}"),
        ColumnError::TypeNotNeeded(name) => {
            format!("type is not needed for non polymorphic foreign key references: {name}")
        }
    };
    format!("InvalidBatch : {problem}")
}

fn given<'a>(cells: &[&'a str], place: Option<usize>) -> Option<&'a str> {
    place.and_then(|place| cells.get(place)).copied().filter(|cell| !cell.is_empty())
}

fn missing(problem: impl Into<String>) -> Refusal {
    Refusal::new("MISSING_ARGUMENT", problem)
}
