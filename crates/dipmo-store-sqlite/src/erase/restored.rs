//! What comes back from an archive and is of an aggregate that was erased.

use dipmo_domain::StoreError;
use dipmo_store::BLANK;
use dipmo_store::admin::{HistoryRow, LotPart};

use super::blank::Rows;
use crate::listing::as_json;
use crate::sql::{self, Sql};
use crate::tx::Tx;

/// Blanks those of these rows that are of an erased aggregate, before anybody sees them; what
/// they caused and what came of them may have been restored before.
pub(crate) fn blank(tx: &Tx<'_>, part: LotPart, rows: &[HistoryRow]) -> Result<(), StoreError> {
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let find = |sql: Sql, ids: &[i64]| tx.all(&sql, [as_json(ids)], |row| row.get::<_, i64>(0));
    let mut rows = Rows::default();
    match part {
        LotPart::Messages => {
            let params = (as_json(&ids), BLANK);
            rows.messages = tx.all(&sql::erased_messages(), params, |row| row.get(0))?;
            let params = (None::<String>, as_json(&rows.messages));
            rows.intents = tx.all(&sql::erase_find_intents(), params, |row| row.get(0))?;
        }
        LotPart::Intents => rows.intents = find(sql::erased_intents(), &ids)?,
        LotPart::Records => {
            let params = (as_json(&ids), BLANK);
            rows.units = tx.all(&sql::erased_records(), params, |row| row.get(0))?;
        }
    }
    rows.messages.extend(find(sql::erased_answers(), &rows.intents)?);
    rows.units.extend(&rows.intents);
    rows.units.extend(find(sql::erase_find_records(), &rows.intents)?);
    rows.blank(tx).map(drop)
}
