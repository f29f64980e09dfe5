//! Putting rows back as history: what is there already stays as it is.

use dipmo_domain::StoreError;
use dipmo_store::admin::{HistoryRow, LotPart};

use crate::sql::{self, Which};
use crate::tx::Tx;

/// Puts rows back that are not there, with how they ended; answers how many.
pub(super) fn all(tx: &Tx<'_>, part: LotPart, rows: &[HistoryRow]) -> Result<u64, StoreError> {
    let (log, which) = match part {
        LotPart::Messages => (sql::restore_message(), Which::Inbox),
        LotPart::Intents => (sql::restore_intent(), Which::Outbox),
        LotPart::Records => (sql::restore_record(), Which::Outbox),
    };
    let mut restored = 0;
    for row in rows {
        let line = [row.line.as_str()];
        if tx.run(&log, line)? == 0 {
            continue;
        }
        if part == LotPart::Intents {
            tx.run(&sql::restore_progress(), line)?;
        }
        tx.run(&sql::restore_done(which), line)?;
        tx.run(&sql::restore_exception(which), line)?;
        restored += 1;
    }
    Ok(restored)
}
