//! What became of the messages of a batch.

use std::collections::{HashMap, HashSet};

use dipmo_domain::{
    ErrorStage, InboxId, InboxStatus, Lane, OrderKey, Outcome, StoreError, Timestamp,
};
use dipmo_store::{ClaimedBatch, Settlement, SettlementKind};

use crate::blocks::Heads;
use crate::exception::{ExceptionRow, Exceptions};
use crate::failure_groups::Groups;
use crate::sql::{self, Call, Which, params};

/// What was claimed and is not settled yet, and the blocks that may end with what was.
pub(crate) struct Ledger {
    now: Timestamp,
    open: HashMap<InboxId, Claim>,
    ended: Heads,
    /// Something failed that may be overtaken.
    failed: bool,
    went_on: WentOn,
    groups: Groups,
}

/// The last statements of a batch, where there is something for them to do.
pub(crate) struct Last {
    /// Tells who was overtaken.
    pub(crate) overtakes: Option<Call>,
    /// Names the groups of what failed.
    pub(crate) groups: Option<Call>,
    /// Ends the blocks whose heads ended.
    pub(crate) ends: Option<Call>,
}

/// Messages that had their effects, collected for one statement.
#[derive(Default)]
struct WentOn {
    keys: Vec<String>,
    ids: Vec<i64>,
    sources: Vec<String>,
    versions: Vec<Option<i64>>,
}

struct Claim {
    received_at: Timestamp,
    lane: Lane,
    order_key: Option<OrderKey>,
    source: String,
    version: Option<i64>,
    parked_until: Option<Timestamp>,
    /// It has a row of its own already: it waited, or was parked.
    again: bool,
}

impl Ledger {
    /// `again` are the messages that have a row of their own already; `failed` says whether
    /// anything failed before that may be overtaken.
    pub(crate) fn new(batch: &ClaimedBatch, again: &HashSet<InboxId>, failed: bool) -> Self {
        let claim = |claimed: &dipmo_store::ClaimedMessage| {
            let message = &claimed.message;
            let claim = Claim {
                received_at: message.received_at,
                lane: message.lane,
                order_key: message.order_key(),
                source: message.source_system.clone(),
                version: message.source_version,
                parked_until: claimed.parked_until,
                again: again.contains(&message.id),
            };
            (message.id, claim)
        };
        let open = batch.messages.iter().map(claim).collect();
        let (ended, went_on) = (Heads::default(), WentOn::default());
        Self { now: batch.now, open, ended, failed, went_on, groups: Groups::default() }
    }

    /// The statements that settle messages of a wave.
    pub(crate) fn settle(&mut self, settlements: Vec<Settlement>) -> Result<Vec<Call>, StoreError> {
        let mut done: HashMap<Outcome, Vec<i64>> = HashMap::new();
        let mut exceptions = Exceptions::of(Which::Inbox);
        let (mut heads, mut held) = (Heads::default(), Heads::default());
        for Settlement { message, kind } in settlements {
            let claim = self.open.remove(&message).ok_or_else(|| {
                broken(format!("message {message} was settled twice or never claimed"))
            })?;
            self.failed |= matches!(kind, SettlementKind::Failed { block: false, .. });
            if self.failed && kind.goes_on() {
                self.went_on.push(message, &claim);
            }
            if let (SettlementKind::Processed(outcome), false) = (&kind, claim.again) {
                done.entry(*outcome).or_default().push(message.0);
                continue;
            }
            match (&claim.order_key, &kind) {
                (Some(key), SettlementKind::Held) => held.push("", key, message.0, claim.lane),
                (None, SettlementKind::Held) => {
                    return Err(broken(format!("message {message} is alone and waits for nobody")));
                }
                (Some(key), kind) if blocks(kind) => heads.push("", key, message.0, claim.lane),
                (Some(key), _) if claim.again => self.ended.push("", key, message.0, claim.lane),
                _ => {}
            }
            exceptions.push(self.exception(message, claim, kind));
        }
        let (put, groups) = exceptions.call();
        self.groups.extend(groups);
        let mut calls: Vec<Call> = put.into_iter().collect();
        calls.extend(heads.set(Which::Inbox));
        calls.extend(held.adopt(sql::held_adopt()));
        calls.extend(done.into_iter().map(|(outcome, ids)| {
            sql::done_insert(Which::Inbox).with(params![outcome.as_str(), ids, None::<Vec<String>>])
        }));
        Ok(calls)
    }

    /// What is left to do when all waves are written.
    pub(crate) fn finish(self) -> Last {
        Last {
            overtakes: self.went_on.overtake(),
            groups: self.groups.call(),
            ends: self.ended.end(Which::Inbox),
        }
    }

    pub(crate) fn check_all_settled(&self) -> Result<(), StoreError> {
        match self.open.keys().min() {
            None => Ok(()),
            Some(first) => Err(StoreError::Unsettled { messages: self.open.len(), first: *first }),
        }
    }

    fn exception(&self, id: InboxId, claim: Claim, kind: SettlementKind) -> ExceptionRow {
        let at = Some(claim.received_at);
        let row = ExceptionRow {
            order_key: claim.order_key,
            ..ExceptionRow::new(id.0, at, claim.lane, InboxStatus::Received.as_str())
        };
        let failed = |row: ExceptionRow, status: InboxStatus, failure| ExceptionRow {
            status: status.as_str(),
            tried: true,
            error_stage: Some(ErrorStage::Business),
            failure: Some(failure),
            ..row
        };
        match kind {
            SettlementKind::Processed(outcome) => ExceptionRow {
                status: InboxStatus::Processed.as_str(),
                tried: true,
                outcome: Some(outcome.as_str()),
                ended: true,
                ..row
            },
            SettlementKind::Retry { after, failure } => {
                ExceptionRow { due_in: Some(after), ..failed(row, InboxStatus::Retry, failure) }
            }
            SettlementKind::Failed { failure, .. } => failed(row, InboxStatus::Failed, failure),
            SettlementKind::Held => {
                ExceptionRow { held: true, parked_until: claim.parked_until, ..row }
            }
            SettlementKind::Parked { at_most } => {
                let until = claim.parked_until.unwrap_or_else(|| self.now.after(at_most));
                ExceptionRow {
                    parked_until: Some(until),
                    due_in: Some(until.since(self.now)),
                    ..row
                }
            }
        }
    }
}

impl WentOn {
    fn push(&mut self, message: InboxId, claim: &Claim) {
        let Some(key) = &claim.order_key else { return };
        self.keys.push(key.as_str().to_owned());
        self.ids.push(message.0);
        self.sources.push(claim.source.clone());
        self.versions.push(claim.version);
    }

    /// Notes for earlier messages of the same keys that failed that these went on without them.
    fn overtake(self) -> Option<Call> {
        let Self { keys, ids, sources, versions } = self;
        (!ids.is_empty())
            .then(|| sql::message_overtake().with(params![keys, ids, sources, versions]))
    }
}

/// Whether the order key of a message waits for it from now on.
const fn blocks(kind: &SettlementKind) -> bool {
    matches!(kind, SettlementKind::Retry { .. } | SettlementKind::Failed { block: true, .. })
}

fn broken(problem: String) -> StoreError {
    StoreError::Unexpected { statement: "settle", problem }
}
