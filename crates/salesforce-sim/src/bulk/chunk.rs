//! The rows of one chunk, written in one transaction.

use jiff::Timestamp;

use super::outcome::{Failure, Outcome};
use super::rows::Rows;
use super::spec::{Operation, Spec};
use crate::org::columns::{ColumnError, Columns};
use crate::org::fields::Fields;
use crate::org::id::RecordId;
use crate::org::repeats::{refuse_repeated, repeated};
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

/// What is done with each row.
#[derive(Clone, Copy, Debug)]
enum Action {
    Insert,
    Update(Key),
    Upsert(Key),
    Delete { key: Key, hard: bool },
}

/// What says which record a row is about.
#[derive(Clone, Copy, Debug)]
struct Key {
    field: FieldId,
    /// Its position in the row; a header may lack it.
    place: Option<usize>,
}

/// A row of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) cells: &'a [&'a str],
    /// Whether another row of the chunk is about the same record.
    pub(super) repeated: bool,
}

/// What became of a row of a chunk.
#[derive(Debug)]
pub(super) enum Settled {
    Done(Outcome),
    Failed(Failure),
    /// Somebody else holds a record until then, and the row may be tried again.
    Locked(Failure, Timestamp),
}

impl Plan {
    /// The plan, or the `errorMessage` of a job whose header is wrong.
    pub(super) fn new(schema: &Schema, spec: &Spec, header: &[String]) -> Result<Plan, String> {
        let columns =
            Columns::parse(schema, spec.object, header).map_err(|error| refuse_column(&error))?;
        let field = spec.external_id.unwrap_or(FieldId::ID);
        let key = Key { field, place: columns.position(field) };
        let action = match spec.operation {
            Operation::Insert => Action::Insert,
            Operation::Update => Action::Update(key),
            Operation::Upsert => Action::Upsert(key),
            Operation::Delete => Action::Delete { key, hard: false },
            Operation::HardDelete => Action::Delete { key, hard: true },
        };
        Ok(Plan { object: spec.object, columns, action })
    }

    /// Which rows of a chunk are about a record that another row of it is about too. Salesforce
    /// rejects them all.
    pub(super) fn repeated(&self, schema: &Schema, rows: &Rows) -> Vec<bool> {
        let Some(key @ Key { place: Some(place), .. }) = self.action.key() else {
            return vec![false; rows.len()];
        };
        let cells = (0..rows.len()).map(|row| rows.row(row).nth(place).unwrap_or_default());
        repeated(cells.map(|cell| given(cell).unwrap_or_default()), &schema[self.object][key.field])
    }

    /// Writes one row.
    pub(super) fn write(&self, tx: &mut Transaction<'_>, row: &Row<'_>) -> Settled {
        let mut record = None;
        let before = tx.savepoint();
        match self.try_write(tx, row, &mut record) {
            Ok(Written { id, created: true }) => Settled::Done(Outcome::Created(id)),
            Ok(Written { id, created: false }) => Settled::Done(Outcome::Changed(id)),
            Err(refusal) => {
                // The deletion of a record may fail at one of its children.
                tx.rollback_to(before);
                let failure = Failure { record, error: refusal.in_bulk().into() };
                match refusal.held_until {
                    Some(until) => Settled::Locked(failure, until),
                    None => Settled::Failed(failure),
                }
            }
        }
    }

    /// Tells of the record as soon as it is known, because a refusal of it names it.
    fn try_write(
        &self,
        tx: &mut Transaction<'_>,
        &Row { cells, repeated }: &Row<'_>,
        record: &mut Option<RecordId>,
    ) -> Result<Written, Refusal> {
        if let Some(key) = self.action.key().filter(|_| repeated) {
            let value = key.of(cells).unwrap_or_default();
            if key.field == FieldId::ID {
                *record = tx.resolve(self.object, value).ok();
            }
            return Err(refuse_repeated(&tx.schema()[self.object][key.field], value));
        }
        let target = match self.action {
            Action::Insert => Target::Insert,
            Action::Upsert(key) => {
                let value = match key.of(cells) {
                    Some(value) => value,
                    // An upsert by the id itself makes a new record where there is none.
                    None if key.field == FieldId::ID => "",
                    None => {
                        let name = &tx.schema()[self.object][key.field].name;
                        return Err(missing(format!("{name} not specified")));
                    }
                };
                Target::Upsert { field: key.field, value }
            }
            Action::Update(key) => {
                let id =
                    key.of(cells).ok_or_else(|| missing("Id not specified in an update call"))?;
                Target::Update(*record.insert(tx.resolve(self.object, id)?))
            }
            Action::Delete { key, hard } => {
                let id =
                    key.of(cells).ok_or_else(|| missing("Id not specified in a delete call"))?;
                let id = *record.insert(tx.resolve(self.object, id)?);
                if hard {
                    tx.erase(id)?;
                } else {
                    tx.delete(id)?;
                }
                return Ok(Written { id, created: false });
            }
        };
        let fields = Fields::Row { columns: &self.columns, cells };
        tx.write(self.object, &Write { target, fields })
    }
}

impl Action {
    fn key(self) -> Option<Key> {
        match self {
            Action::Insert => None,
            Action::Update(key) | Action::Upsert(key) | Action::Delete { key, .. } => Some(key),
        }
    }
}

impl Key {
    fn of<'a>(self, cells: &[&'a str]) -> Option<&'a str> {
        self.place.and_then(|place| cells.get(place)).copied().and_then(given)
    }
}

/// The cell, unless it says nothing: neither blanks nor `#N/A` name a record.
fn given(cell: &str) -> Option<&str> {
    Some(cell.trim()).filter(|cell| !cell.is_empty() && *cell != "#N/A")
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

fn missing(problem: impl Into<String>) -> Refusal {
    Refusal::new("MISSING_ARGUMENT", problem)
}
