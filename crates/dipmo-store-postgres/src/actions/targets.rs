//! What an operation is about, as a query: of what a filter finds, that which the act can be done to.

use dipmo_domain::{Fingerprint, InboxStatus, OutboxStatus};
use dipmo_store::Side;
use dipmo_store::admin::{Act, MOST_IN_OPERATION, MessageFilter, Target, UnitFilter, Waits};

use crate::listing::has_nul;
use crate::sql::{self, Param, Sql, params};
use crate::types::PgTime;

/// A query for ids, statuses, attempts and retries.
pub(super) struct Found {
    query: Sql,
    params: Vec<Param>,
    /// Ids that were named, each once and in order; the query finds those that there are.
    pub(super) named: Option<Vec<i64>>,
}

impl Found {
    /// A query that is part of a statement: `{found}` in its text.
    pub(super) fn within(self, outer: Sql) -> (Sql, Vec<Param>) {
        (outer.fill("{found}", &self.query.text), self.params)
    }
}

/// What a target stands for, at most one more than an operation may have.
pub(super) fn found(act: Act, target: &Target) -> Found {
    match target {
        Target::Messages(filter) => messages(act, filter),
        Target::Units(filter) => units(act, filter),
        Target::Ids { side, ids } => by_id(*side, ids.clone()),
    }
}

fn messages(act: Act, filter: &MessageFilter) -> Found {
    use InboxStatus::{Failed, Received, Retry, SerdeError};
    let statuses: &[InboxStatus] = match act {
        Act::Retry => &[Failed, Retry, Received],
        Act::Skip => &[Failed, Retry, Received, SerdeError],
        Act::Release => &[Failed, SerdeError],
        Act::Reparse => &[SerdeError],
        Act::Resend | Act::Replay => &[],
    };
    let wanted = |status: &&InboxStatus| filter.status.is_empty() || filter.status.contains(status);
    let MessageFilter { topic, event_type, source_system, aggregate, message_id, text, .. } =
        filter.clone();
    let of_log = [&topic, &event_type, &source_system, &message_id, &text];
    if has_nul(of_log.into_iter().chain([&filter.error_code, &aggregate])) {
        return nothing(Side::Inbox);
    }
    let of_log = of_log.iter().any(|asked| asked.is_some());
    let waits = filter.waits.map(|waits| match waits {
        Waits::Held => "held",
        Waits::Parked => "parked",
    });
    let params = params![
        statuses.iter().filter(wanted).map(|status| status.as_str()).collect::<Vec<_>>(),
        most(),
        waits,
        filter.error_code.clone(),
        filter.failure.map(|Fingerprint(group)| group),
        filter.since.map(PgTime),
        filter.until.map(PgTime),
        aggregate,
        of_log,
        topic,
        event_type,
        source_system,
        message_id,
        text,
    ];
    Found { query: sql::operation_messages(), params, named: None }
}

fn units(act: Act, filter: &UnitFilter) -> Found {
    use OutboxStatus::{Failed, Pending};
    let statuses: &[OutboxStatus] = match act {
        _ if filter.waits == Some(Waits::Parked) => &[],
        Act::Retry => &[Failed, Pending],
        Act::Skip | Act::Release => &[Failed],
        Act::Reparse | Act::Resend | Act::Replay => &[],
    };
    let wanted =
        |status: &&OutboxStatus| filter.status.is_empty() || filter.status.contains(status);
    let UnitFilter { event_type, aggregate, record, text, .. } = filter.clone();
    let of_log = [&event_type, &aggregate, &record, &text];
    if has_nul(of_log.into_iter().chain([&filter.error_code])) {
        return nothing(Side::Outbox);
    }
    let of_log = of_log.iter().any(|asked| asked.is_some());
    let params = params![
        statuses.iter().filter(wanted).map(|status| status.as_str()).collect::<Vec<_>>(),
        most(),
        filter.waits == Some(Waits::Held),
        filter.error_code.clone(),
        filter.failure.map(|Fingerprint(group)| group),
        filter.since.map(PgTime),
        filter.until.map(PgTime),
        filter.destination.as_ref().map(ToString::to_string),
        filter.intent.map(|intent| intent.0),
        filter.cause.map(|cause| cause.0),
        of_log,
        event_type,
        aggregate,
        record,
        text,
    ];
    Found { query: sql::operation_units(), params, named: None }
}

/// What finds nothing.
fn nothing(side: Side) -> Found {
    Found { named: None, ..by_id(side, Vec::new()) }
}

fn by_id(side: Side, mut ids: Vec<i64>) -> Found {
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(usize::try_from(most()).unwrap_or(usize::MAX));
    let standing = match side {
        Side::Inbox => sql::message_standing(),
        Side::Outbox => sql::unit_standing(),
    };
    let query = sql::operation_ids().fill("{standing}", &standing.text);
    Found { query, params: params![ids.clone()], named: Some(ids) }
}

/// One more than an operation may have tells that there are too many.
fn most() -> i64 {
    i64::from(MOST_IN_OPERATION) + 1
}
