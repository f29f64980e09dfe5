//! What comes back from an archive and is of an aggregate that was erased.

use dipmo_domain::StoreError;
use dipmo_store::BLANK;
use dipmo_store::admin::{HistoryRow, LotPart};

use super::blank::Rows;
use super::find::{Logs, caused, ids, records};
use crate::session::Session;
use crate::sql::{self, params};

/// Blanks those of these rows that are of an erased aggregate, before anybody sees them; what
/// they caused and what came of them may have been restored before.
pub(crate) async fn blank(
    session: &mut Session,
    part: LotPart,
    restored: &[HistoryRow],
) -> Result<(), StoreError> {
    let all: Vec<i64> = restored.iter().map(|row| row.id).collect();
    let (logs, mut rows) = (Logs::of(None), Rows::default());
    match part {
        LotPart::Messages => {
            rows.messages = ids(session, sql::erased_messages().with(params![all, BLANK])).await?;
            let messages = rows.messages.iter().copied().collect();
            rows.intents = caused(session, &logs, None, &messages).await?.0.into_iter().collect();
        }
        LotPart::Intents => {
            rows.intents = ids(session, sql::erased_intents().with(params![all])).await?;
        }
        LotPart::Records => {
            rows.units = ids(session, sql::erased_records().with(params![all, BLANK])).await?;
        }
    }
    if rows.messages.is_empty() && rows.intents.is_empty() && rows.units.is_empty() {
        return Ok(());
    }
    let answers = sql::erased_answers().with(params![rows.intents.clone()]);
    rows.messages.extend(ids(session, answers).await?);
    rows.units.extend(&rows.intents);
    rows.units.extend(records(session, &logs, &rows.intents.iter().copied().collect()).await?);
    rows.blank(session, &logs, false).await.map(drop)
}
