//! What an operator may do to a message or unit, by where it stands: the same in every store.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use dipmo_domain::{InboxStatus, OutboxStatus, StoreError};

use crate::admin::{Act, Seen};
use crate::operate::{Acted, BoxStatus, MOST_AT_ONCE};

/// Where a message or unit stands, read while its lane is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing<S: BoxStatus> {
    /// `STATUS`.
    pub status: S,
    /// How often it was tried.
    pub attempts: u32,
    /// How often it was retried after it had failed.
    pub retried: u32,
    /// It left the straight path: it has a row of its own.
    pub aside: bool,
    /// It waits for the head of its key.
    pub held: bool,
    /// It waits for a version that is missing.
    pub parked: bool,
    /// Somebody skipped it.
    pub skipped: bool,
    /// What it said was erased.
    pub erased: bool,
    /// Its order key waits for it.
    pub heads: bool,
    /// The first later one of its key that went on since it failed, or the head of its key if that
    /// is a later one.
    pub overtaken_by: Option<S::Id>,
}

impl<S: BoxStatus> Standing<S> {
    /// Never tried, or ended at the first attempt.
    #[must_use]
    pub const fn straight(status: S) -> Self {
        Self {
            status,
            attempts: 0,
            retried: 0,
            aside: false,
            held: false,
            parked: false,
            skipped: false,
            erased: false,
            heads: false,
            overtaken_by: None,
        }
    }

    /// How an operation keeps it that begins now.
    #[must_use]
    pub fn seen(&self) -> Seen {
        let status = self.status.name().to_owned();
        Seen { status, attempts: self.attempts, retried: self.retried }
    }

    /// True when it stands as somebody saw it.
    #[must_use]
    pub fn is_as(&self, seen: &Seen) -> bool {
        self.status.name() == seen.status
            && self.attempts == seen.attempts
            && self.retried == seen.retried
    }
}

impl Standing<InboxStatus> {
    /// What an operation does to it, which saw it so.
    #[must_use]
    pub fn perform(&self, act: Act, force: bool, seen: Option<&Seen>) -> Acted<InboxStatus> {
        if !seen.is_some_and(|seen| self.is_as(seen)) {
            return Acted::Changed;
        }
        match act {
            Act::Retry => self.retry(force),
            Act::Skip => self.skip(),
            Act::Release => self.release_behind(),
            // Another way, because what it is decoded to, or is said again, must be said.
            Act::Reparse | Act::Replay => Acted::WrongStatus(self.status),
            Act::Resend => Acted::WrongStatus(self.status),
        }
    }

    /// What [`retry`](crate::Operate::retry) does to it.
    #[must_use]
    pub const fn retry(&self, force: bool) -> Acted<InboxStatus> {
        match (self.status, self.overtaken_by) {
            (InboxStatus::Failed, Some(by)) if !force => return Acted::Overtaken { by },
            _ => {}
        }
        match self.status {
            InboxStatus::Processed => Acted::AlreadyEnded,
            _ if self.held => Acted::Held,
            // It goes on without what is missing.
            _ if self.parked => Acted::Done,
            // Every attempt counts: none means that it was retried and not tried since.
            InboxStatus::Retry if self.attempts == 0 => Acted::AlreadyDone,
            InboxStatus::Retry | InboxStatus::Failed => Acted::Done,
            InboxStatus::Received | InboxStatus::SerdeError => Acted::WrongStatus(self.status),
        }
    }

    /// What [`retry_failed`](crate::Operate::retry_failed) does to it, when the failure is meant
    /// before which it had been retried so often.
    #[must_use]
    pub const fn retry_failed(&self, retried: u32) -> Acted<InboxStatus> {
        match (self.status, self.overtaken_by) {
            (InboxStatus::Processed, _) => Acted::AlreadyEnded,
            (InboxStatus::Failed, Some(by)) if self.retried == retried => Acted::Overtaken { by },
            (InboxStatus::Failed, None) if self.retried == retried => Acted::Done,
            (InboxStatus::Failed | InboxStatus::Retry, _) => Acted::AlreadyDone,
            (InboxStatus::Received | InboxStatus::SerdeError, _) => Acted::WrongStatus(self.status),
        }
    }

    /// What [`skip`](crate::Operate::skip) does to it.
    #[must_use]
    pub const fn skip(&self) -> Acted<InboxStatus> {
        match self.status {
            InboxStatus::Processed if self.skipped => Acted::AlreadyDone,
            InboxStatus::Processed => Acted::AlreadyEnded,
            // It stands in the line of its key, and will never go on by itself.
            InboxStatus::SerdeError => Acted::Done,
            _ if self.held => Acted::Held,
            InboxStatus::Received if !self.parked => Acted::WrongStatus(self.status),
            _ => Acted::Done,
        }
    }

    /// What [`release_behind`](crate::Operate::release_behind) does to it.
    #[must_use]
    pub const fn release_behind(&self) -> Acted<InboxStatus> {
        match self.status {
            InboxStatus::Processed => Acted::AlreadyEnded,
            // In line it is held, also as the head of it.
            InboxStatus::SerdeError if self.held => Acted::Done,
            InboxStatus::Failed if self.heads => Acted::Done,
            InboxStatus::SerdeError | InboxStatus::Failed => Acted::AlreadyDone,
            _ if self.held => Acted::Held,
            // It goes on by itself, and nothing of its key may pass it.
            InboxStatus::Received | InboxStatus::Retry => Acted::WrongStatus(self.status),
        }
    }
}

impl Standing<OutboxStatus> {
    /// What an operation does to it, which saw it so.
    #[must_use]
    pub fn perform(&self, act: Act, force: bool, seen: Option<&Seen>) -> Acted<OutboxStatus> {
        if !seen.is_some_and(|seen| self.is_as(seen)) {
            return Acted::Changed;
        }
        match act {
            Act::Retry => self.retry(force),
            Act::Skip => self.skip(),
            Act::Release => self.release_behind(),
            Act::Reparse | Act::Replay => Acted::WrongStatus(self.status),
            Act::Resend => self.resend(),
        }
    }

    /// Whether it can be sent a second time: what was delivered, or given up. What failed is retried
    /// instead, and what is pending goes out by itself. What was erased says nothing any more.
    #[must_use]
    pub const fn resend(&self) -> Acted<OutboxStatus> {
        match self.status {
            _ if self.erased => Acted::Erased,
            OutboxStatus::Dispatched => Acted::Done,
            OutboxStatus::Failed if self.skipped => Acted::Done,
            OutboxStatus::Pending if self.held => Acted::Held,
            OutboxStatus::Failed | OutboxStatus::Pending => Acted::WrongStatus(self.status),
        }
    }

    /// What [`retry_units`](crate::Operate::retry_units) does to it.
    #[must_use]
    pub const fn retry(&self, force: bool) -> Acted<OutboxStatus> {
        match (self.status, self.overtaken_by) {
            (OutboxStatus::Failed, Some(by)) if !force && !self.skipped => {
                return Acted::Overtaken { by };
            }
            _ => {}
        }
        match self.status {
            OutboxStatus::Dispatched => Acted::AlreadyEnded,
            OutboxStatus::Failed if self.skipped => Acted::AlreadyEnded,
            _ if self.held => Acted::Held,
            OutboxStatus::Pending if !self.aside => Acted::WrongStatus(self.status),
            OutboxStatus::Pending if self.attempts == 0 => Acted::AlreadyDone,
            OutboxStatus::Pending | OutboxStatus::Failed => Acted::Done,
        }
    }

    /// What [`skip_units`](crate::Operate::skip_units) does to it.
    #[must_use]
    pub const fn skip(&self) -> Acted<OutboxStatus> {
        match self.status {
            OutboxStatus::Dispatched => Acted::AlreadyEnded,
            OutboxStatus::Failed if self.skipped => Acted::AlreadyDone,
            OutboxStatus::Failed => Acted::Done,
            OutboxStatus::Pending if self.held => Acted::Held,
            OutboxStatus::Pending => Acted::WrongStatus(self.status),
        }
    }

    /// What [`release_behind_units`](crate::Operate::release_behind_units) does to it.
    #[must_use]
    pub const fn release_behind(&self) -> Acted<OutboxStatus> {
        match self.status {
            OutboxStatus::Dispatched => Acted::AlreadyEnded,
            OutboxStatus::Failed if self.heads => Acted::Done,
            OutboxStatus::Failed => Acted::AlreadyDone,
            OutboxStatus::Pending if self.held => Acted::Held,
            OutboxStatus::Pending => Acted::WrongStatus(self.status),
        }
    }
}

/// Refuses a call with too many ids.
///
/// # Errors
/// [`StoreError::Unexpected`] for more than [`MOST_AT_ONCE`].
pub fn check_count<Id>(ids: &[Id]) -> Result<(), StoreError> {
    if ids.len() <= MOST_AT_ONCE {
        return Ok(());
    }
    let problem = format!("{} ids in one call, at most {MOST_AT_ONCE} are taken", ids.len());
    Err(StoreError::Unexpected { statement: "operate", problem })
}

/// Judges the ids of a call by where each stands; answers for each in its place, and which of them
/// are to be changed. An id that is there twice is done once. The rule is told the place as well,
/// where calls ask for something of their own for each id.
pub fn judge<Id: Copy + Eq + Hash, S: BoxStatus>(
    ids: &[Id],
    standings: &HashMap<Id, Standing<S>>,
    rule: impl Fn(usize, &Standing<S>) -> Acted<S>,
) -> (Vec<Acted<S>>, Vec<Id>) {
    let (mut seen, mut done) = (HashSet::new(), Vec::new());
    let acts = ids.iter().enumerate().map(|(place, id)| {
        let act = standings.get(id).map_or(Acted::NotFound, |it| rule(place, it));
        match act {
            Acted::Done if !seen.insert(*id) => Acted::AlreadyDone,
            Acted::Done => {
                done.push(*id);
                act
            }
            _ => act,
        }
    });
    (acts.collect(), done)
}

#[cfg(test)]
mod tests {
    use dipmo_domain::InboxId;

    use super::*;

    #[test]
    fn an_id_that_is_there_twice_is_done_once() {
        let failed = Standing { aside: true, ..Standing::straight(InboxStatus::Failed) };
        let standings = HashMap::from([(1, failed)]);
        let rule = |_, it: &Standing<InboxStatus>| it.retry(false);
        let (acts, done) = judge(&[1, 2, 1], &standings, rule);
        assert_eq!(acts, [Acted::Done, Acted::NotFound, Acted::AlreadyDone]);
        assert_eq!(done, [1]);
    }

    #[test]
    fn a_letter_brings_back_its_own_failure_and_no_later_one() {
        let failed = Standing { aside: true, ..Standing::straight(InboxStatus::Failed) };
        assert_eq!(failed.retry_failed(0), Acted::Done);
        let failed_again = Standing { retried: 1, ..failed };
        assert_eq!(failed_again.retry_failed(0), Acted::AlreadyDone);
        assert_eq!(failed_again.retry_failed(1), Acted::Done);
        let waits = Standing { status: InboxStatus::Retry, attempts: 1, ..failed_again };
        assert_eq!(waits.retry_failed(1), Acted::AlreadyDone);
        let overtaken = Standing { overtaken_by: Some(InboxId(9)), ..failed };
        assert_eq!(overtaken.retry_failed(0), Acted::Overtaken { by: InboxId(9) });
        assert_eq!(overtaken.retry_failed(1), Acted::AlreadyDone);
        let ended = Standing { status: InboxStatus::Processed, ..failed };
        assert_eq!(ended.retry_failed(0), Acted::AlreadyEnded);
        let (acts, done) = judge(&[1, 1], &HashMap::from([(1, failed_again)]), |place, it| {
            it.retry_failed(u32::try_from(place).unwrap())
        });
        assert_eq!((acts, done), (vec![Acted::AlreadyDone, Acted::Done], vec![1]));
    }

    #[test]
    fn who_waits_for_a_head_is_left_to_it() {
        let held = Standing { aside: true, held: true, ..Standing::straight(InboxStatus::Retry) };
        assert_eq!((held.retry(false), held.skip()), (Acted::Held, Acted::Held));
        let held =
            Standing { aside: true, held: true, ..Standing::straight(OutboxStatus::Pending) };
        assert_eq!((held.retry(false), held.skip()), (Acted::Held, Acted::Held));
    }

    #[test]
    fn what_may_be_on_the_wire_is_not_skipped() {
        let tried =
            Standing { aside: true, attempts: 3, ..Standing::straight(OutboxStatus::Pending) };
        assert_eq!(tried.skip(), Acted::WrongStatus(OutboxStatus::Pending));
        assert_eq!(tried.retry(false), Acted::Done);
    }

    #[test]
    fn what_was_overtaken_is_retried_by_force() {
        let overtaken_by = Some(InboxId(9));
        let failed = Standing::straight(InboxStatus::Failed);
        let failed = Standing { aside: true, overtaken_by, ..failed };
        assert_eq!(failed.retry(false), Acted::Overtaken { by: InboxId(9) });
        assert_eq!((failed.retry(true), failed.skip()), (Acted::Done, Acted::Done));
        let waiting = Standing { status: InboxStatus::Retry, attempts: 1, ..failed };
        assert_eq!(waiting.retry(false), Acted::Done, "it comes by itself anyway");
    }

    #[test]
    fn only_what_failed_lets_others_pass() {
        let failed = Standing { aside: true, ..Standing::straight(InboxStatus::Failed) };
        let head = Standing { heads: true, ..failed };
        assert_eq!(head.release_behind(), Acted::Done);
        assert_eq!(failed.release_behind(), Acted::AlreadyDone, "nobody waits for it");
        let waiting = Standing { status: InboxStatus::Retry, ..head };
        assert_eq!(waiting.release_behind(), Acted::WrongStatus(InboxStatus::Retry));
        let poison = Standing { status: InboxStatus::SerdeError, ..failed };
        assert_eq!(poison.release_behind(), Acted::AlreadyDone);
        assert_eq!(Standing { held: true, ..poison }.release_behind(), Acted::Done);
    }

    #[test]
    fn what_has_gone_out_or_was_given_up_is_sent_again() {
        let sent = Standing::straight(OutboxStatus::Dispatched);
        assert_eq!(sent.resend(), Acted::Done);
        let failed = Standing { aside: true, ..Standing::straight(OutboxStatus::Failed) };
        assert_eq!(failed.resend(), Acted::WrongStatus(OutboxStatus::Failed), "it is retried");
        assert_eq!(Standing { skipped: true, ..failed }.resend(), Acted::Done);
        let waits = Standing::straight(OutboxStatus::Pending);
        assert_eq!(waits.resend(), Acted::WrongStatus(OutboxStatus::Pending));
        assert_eq!(Standing { held: true, ..waits }.resend(), Acted::Held);
        assert_eq!(Standing { erased: true, ..sent }.resend(), Acted::Erased);
    }

    #[test]
    fn a_call_has_a_limit() {
        assert_eq!(check_count(&[0; MOST_AT_ONCE]), Ok(()));
        assert!(check_count(&[0; MOST_AT_ONCE + 1]).is_err());
    }
}
