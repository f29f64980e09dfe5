//! The three files of results, read row by row.

use dipmo_salesforce::{BulkResults, Error, ResultRow};

use super::call::{Run, Trouble};
use super::outcomes::Outcomes;

/// Reads what became of every row. All three files are read: a row that Salesforce did not come to is
/// in the third alone.
pub(super) async fn read(run: &Run<'_>, remote: &str) -> Result<Outcomes, Trouble> {
    let mut outcomes = Outcomes::default();
    for which in [BulkResults::Successful, BulkResults::Failed, BulkResults::Unprocessed] {
        run.call(file(run, remote, which, &mut outcomes)).await?;
    }
    Ok(outcomes)
}

/// Reads a file. One that breaks off is read again from its beginning, together with the others.
async fn file(
    run: &Run<'_>,
    remote: &str,
    which: BulkResults,
    outcomes: &mut Outcomes,
) -> Result<(), Error> {
    let mut rows = run.org.client.bulk().results(remote, which).await?;
    while let Some(row) = rows.next().await? {
        if let Some(key) = row.get(&run.org.mapping.external_id) {
            take(which, key, &row, outcomes);
        }
    }
    Ok(())
}

fn take(which: BulkResults, key: &str, row: &ResultRow, outcomes: &mut Outcomes) {
    match which {
        BulkResults::Successful => outcomes.applied(key, row.id().unwrap_or_default()),
        BulkResults::Failed => {
            if let Some(error) = row.error() {
                outcomes.failed(key, error);
            }
        }
        BulkResults::Unprocessed => outcomes.unprocessed(key),
    }
}
