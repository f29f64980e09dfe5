//! One write a call.

use dipmo_salesforce::{Class, Error, RecordRef, RowError};

use super::{Outcome, Refusal};
use crate::org::OrgContext;
use crate::slice::Write;

/// Writes one record after the other; batches of this API have one.
pub(super) async fn call(org: &OrgContext, writes: &[&Write]) -> Result<Vec<Outcome>, Error> {
    let mut outcomes = Vec::with_capacity(writes.len());
    for write in writes {
        outcomes.push(match one(org, write).await {
            Ok(id) => Ok(id),
            Err(error) if is_about_the_record(&error) => Err(Refusal::Row(as_row(&error))),
            Err(error) => return Err(error),
        });
    }
    Ok(outcomes)
}

async fn one(org: &OrgContext, write: &Write) -> Result<Option<String>, Error> {
    let (object, field) = (&*org.mapping.object, &*org.mapping.external_id);
    let at = RecordRef { object, field, key: write.key() };
    match write {
        Write::Upsert(record) => Ok(Some(org.client.upsert(&at, &record.rest()).await?.id)),
        Write::Delete { .. } => org.client.delete(&at).await.map(|()| None),
    }
}

/// With one record in a call, these are the record's and not the call's.
fn is_about_the_record(error: &Error) -> bool {
    matches!(
        error.class(),
        Class::RowLocked | Class::ParentMissing | Class::DuplicateValue | Class::Permanent
    )
}

fn as_row(error: &Error) -> RowError {
    let (code, fields) = (error.code().to_owned(), error.fields().to_vec());
    RowError { code, message: error.message(), fields }
}
