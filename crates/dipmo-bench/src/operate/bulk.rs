//! `operate.bulk_retry_per_second`: one operation that retries all that failed, as an instance would perform it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use dipmo_domain::{InboxStatus, Json};
use dipmo_inbox::{Message, NewMessage};
use dipmo_processing::operations::{Conclusion, Performer, Redecode};
use dipmo_store::admin::{
    Act, AuditEntry, Begun, MessageFilter, NewOperation, Operable, Operation, OperationState,
    Target,
};
use tokio_util::sync::CancellationToken;

use super::past::{Past, Stands};
use crate::report::Row;

/// Begins the operation, performs it, and checks that each message was retried once.
pub(super) async fn run(store: &Arc<dyn Operable>, past: &Past) -> Result<Vec<Row>> {
    let failed = (0..past.count()).filter(|number| past.stands(*number) == Stands::Failed).count();
    let began = Instant::now();
    let Begun::Running(operation) = store.begin_operation(&retry()).await? else {
        bail!("{failed} messages are too many for an operation; say fewer --rows")
    };
    let beginning = began.elapsed();
    ensure!(operation.items == u64::try_from(failed)?, "{} of {failed} items", operation.items);
    let began = Instant::now();
    let operation = perform(store, &operation).await?;
    let performing = began.elapsed();
    check(&**store, past, &operation).await?;
    #[expect(clippy::cast_precision_loss, reason = "a count of messages fits a double")]
    let rate = failed as f64 / performing.as_secs_f64();
    Ok(vec![
        Row::plain("operate.bulk_retry_begin_ms", beginning.as_secs_f64() * 1_000.0, "ms"),
        Row::plain("operate.bulk_retry_per_second", rate, "msg/s"),
    ])
}

fn retry() -> NewOperation {
    let filter = MessageFilter { status: vec![InboxStatus::Failed], ..MessageFilter::default() };
    let entry = AuditEntry {
        actor: "bench".to_owned(),
        role: "operator".to_owned(),
        action: "operation.begin".to_owned(),
        target: String::new(),
        reason: "the cause is gone".to_owned(),
        detail: Json::null(),
    };
    let target = Target::Messages(filter);
    NewOperation { act: Act::Retry, target, force: false, per_second: None, entry }
}

async fn perform(store: &Arc<dyn Operable>, operation: &Operation) -> Result<Operation> {
    let mut performer =
        Performer::new(Arc::clone(store), Arc::new(NothingToDecode), "bench".to_owned());
    let stop = CancellationToken::new();
    match performer.perform_one(operation.id, |_| {}, stop).await? {
        Conclusion::Over(operation) => Ok(operation),
        other => bail!("the operation did not come to its end: {other:?}"),
    }
}

/// Every item was done, and nothing that failed is left but what cannot be decoded.
async fn check(store: &dyn Operable, past: &Past, operation: &Operation) -> Result<()> {
    ensure!(operation.state == OperationState::Ended, "the operation is {:?}", operation.state);
    let results = store.operation_results(operation.id).await?;
    let wanted = BTreeMap::from([("DONE".to_owned(), operation.items)]);
    ensure!(results == wanted, "the items met {results:?}");
    let undecodable = |number: &u64| past.stands(*number) == Stands::Undecodable;
    let undecodable = (0..past.count()).filter(undecodable).count();
    let left = store.backlog().await?.inbox.failed;
    ensure!(left == u64::try_from(undecodable)?, "{left} are still failed");
    Ok(())
}

/// Retrying decodes nothing.
struct NothingToDecode;

impl Redecode for NothingToDecode {
    fn decode_again(&self, _: &Message) -> Option<NewMessage> {
        None
    }
}
