//! A transactional handler: counts messages in a row that it reads and writes.

use std::panic::resume_unwind;

use dipmo_api::DomainWrite;
use dipmo_domain::{Failure, Value};
use dipmo_inbox::Message;
use dipmo_store::HandlerOutcome;
use dipmo_store_memory::{MemoryHandler, MemoryTx};
use serde::{Deserialize, Serialize};

use super::tables::counts;

/// The payload of a message for the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum AuditAct {
    Count,
    /// Writes, and is undone.
    Reject,
    /// Writes, and takes the whole batch back.
    Panic,
}

pub(super) struct Audit;

impl MemoryHandler for Audit {
    fn handle(&self, message: &Message, tx: &mut MemoryTx) -> HandlerOutcome {
        let account = message.aggregate_id.clone().unwrap_or_default();
        let act = message.payload.as_ref().and_then(|payload| payload.read().ok());
        let rows = match tx.rows(&counts()) {
            Ok(rows) => rows,
            Err(error) => return HandlerOutcome::Reject((&error).into()),
        };
        let own = rows.iter().find(|row| row.get("ID").and_then(Value::as_text) == Some(&account));
        let count = own.and_then(|row| row.get("COUNT")).and_then(Value::as_integer).unwrap_or(0);
        let row = DomainWrite::upsert(counts()).set("ID", account.as_str()).set("COUNT", count + 1);
        if let Err(error) = tx.write(row) {
            return HandlerOutcome::Reject((&error).into());
        }
        match act {
            Some(AuditAct::Count) => HandlerOutcome::Done(Vec::new()),
            Some(AuditAct::Panic) => resume_unwind(Box::new("the simulation wanted it")),
            _ => HandlerOutcome::Reject(Failure::new("sim-rejected", "never")),
        }
    }
}
