//! Sending a second time: a new intent of the same content, which names the unit that was sent before.

use dipmo_domain::StoreError;
use dipmo_store::BoxStatus;

use crate::intents::UnitIds;
use crate::session::Session;
use crate::sql::{self, Call, params};
use crate::standing::Looked;

/// The statements that send units of one lane again. They become ready behind all that is ready in it.
pub(super) async fn calls<S: BoxStatus>(
    session: &mut Session,
    looked: &Looked<S>,
    units: &[i64],
) -> Result<Vec<Call>, StoreError> {
    let mut ids = UnitIds::default();
    ids.ensure(session, 2 * units.len()).await?;
    let mut intents = Again::default();
    let (mut alone, mut records) = (Vec::new(), Again::default());
    for unit in units {
        let intent_of = looked.places.get(unit).and_then(|place| place.intent);
        let new = ids.next();
        intents.push(new, intent_of.unwrap_or(*unit), *unit);
        if intent_of.is_some() {
            records.push(ids.next(), new, *unit);
        } else {
            alone.push(new);
        }
    }
    let ready = [(false, alone), (true, records.ids.clone())];
    let mut calls = vec![intents.by(sql::resend_insert())];
    if !records.ids.is_empty() {
        let totals = vec![1_i32; records.ids.len()];
        calls.push(sql::progress_insert().with(params![records.intents.clone(), totals]));
        calls.push(records.by(sql::resend_records()));
    }
    calls.extend(ready.into_iter().filter(|(_, ids)| !ids.is_empty()).map(|(records, ids)| {
        let (queues, lanes) = looked.lanes.clone();
        let count = i32::try_from(ids.len()).unwrap_or(i32::MAX);
        sql::outbox_ready_insert().with(params![queues, lanes, vec![records], ids, vec![count]])
    }));
    Ok(calls)
}

/// New ids, the intents that belong to them, and the units that are sent again.
#[derive(Default)]
struct Again {
    ids: Vec<i64>,
    intents: Vec<i64>,
    units: Vec<i64>,
}

impl Again {
    fn push(&mut self, id: i64, intent: i64, unit: i64) {
        self.ids.push(id);
        self.intents.push(intent);
        self.units.push(unit);
    }

    fn by(self, statement: sql::Sql) -> Call {
        statement.with(params![self.ids, self.intents, self.units])
    }
}
