//! An account: takes notes, in order, and does what each of them says.

use std::panic::resume_unwind;
use std::time::Duration;

use dipmo_api::{
    Context, DeliveryReport, Description, DomainWrite, FactRequest, MessageView, Process,
    TimerChange, Transition, Versions, events, states,
};
use dipmo_domain::{Failure, Json, Value};
use serde::{Deserialize, Serialize};

use super::data::{Kept, Seen};
use super::note::{Act, Note, SLOTS, TimerAct};
use super::tables::ledger;

/// How long a note waits for the one before it: longer than a run and all jumps of its clock.
pub(crate) const WAIT: Duration = Duration::from_secs(36_000);

states! {
    /// An account is open once something has happened to it.
    pub enum AccountState {
        /// Nothing has happened yet.
        New = "NEW",
        /// Something has.
        Open = "OPEN",
    }
    initial New;
    New => Open;
    Open => Open;
}

/// The payload of a timer: the note that set it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Rang {
    /// The number of the note.
    pub(crate) n: u32,
}

events! {
    /// What an account hears.
    pub(crate) enum AccountEvent {
        /// The producer asks for something.
        Noted(Note) = "Noted" v1,
        /// A timer.
        Rang(Rang) = "Rang" v1,
        /// An intent arrived.
        Delivered(DeliveryReport) = "Delivered" v1,
        /// An intent did not.
        DeliveryFailed(DeliveryReport) = "DeliveryFailed" v1,
    }
}

/// With `STRICT`, versions must be contiguous; else they must grow.
pub(crate) struct Account<const STRICT: bool>;

impl<const STRICT: bool> Process for Account<STRICT> {
    const NAME: &'static str = if STRICT { "STRICT" } else { "LOOSE" };
    type State = AccountState;
    type Event = AccountEvent;
    type Data = Kept;

    fn describe(&self) -> Description {
        let (check, topic, versions) = if STRICT {
            ("CK_STRICT", "strict", Versions::Contiguous { first: 1, wait: WAIT })
        } else {
            ("CK_LOOSE", "loose", Versions::Increasing)
        };
        let fact = if STRICT { "strict-balance" } else { "loose-balance" };
        Description::of::<Self>(check).subscribe_to(topic, ["Noted"]).versions(versions).fact(
            fact,
            &ledger(),
            "ID",
        )
    }

    fn facts(&self, event: &AccountEvent, message: &MessageView<'_>) -> Vec<FactRequest> {
        let name = if STRICT { "strict-balance" } else { "loose-balance" };
        match event {
            AccountEvent::Noted(note) if note.checks => {
                vec![FactRequest::new(name, message.aggregate_id.unwrap_or_default())]
            }
            _ => Vec::new(),
        }
    }

    fn decide(
        &self,
        _: &AccountState,
        event: &AccountEvent,
        context: &Context<'_, Kept>,
    ) -> Transition<AccountState, Kept> {
        let mut kept = context.data().clone();
        let seen = match event {
            AccountEvent::Noted(note) => return noted::<STRICT>(note, kept, context),
            AccountEvent::Rang(rang) => Seen::Rang { n: rang.n },
            AccountEvent::Delivered(report) | AccountEvent::DeliveryFailed(report) => {
                Seen::Outcome { event_type: report.event_type.clone(), failed: report.failed }
            }
        };
        kept.seen.push(seen);
        Transition::advance(AccountState::Open).data(kept).into()
    }
}

fn noted<const STRICT: bool>(
    note: &Note,
    mut kept: Kept,
    context: &Context<'_, Kept>,
) -> Transition<AccountState, Kept> {
    match note.act {
        Act::Take | Act::Poison => {}
        Act::RetryFirst(times) if context.attempts() >= times => {}
        Act::RetryFirst(_) => return Transition::retry(Failure::new("sim-not-yet", "not yet")),
        Act::Reject => return Transition::reject(Failure::new("sim-rejected", "never")),
        // Not a panic that would be printed.
        Act::Panic => resume_unwind(Box::new("the simulation wanted it")),
    }
    if note.checks {
        let name = if STRICT { "strict-balance" } else { "loose-balance" };
        let row = context.fact(name).and_then(|row| row.get("BALANCE"));
        let found = row.and_then(Value::as_integer).unwrap_or(0);
        if found != kept.balance {
            let problem = format!("the ledger has {found}, and not {}", kept.balance);
            return Transition::reject(Failure::new("sim-fact-stale", &problem));
        }
    }
    let version = context.message().source_version;
    kept.seen.push(Seen::Note { n: note.n, version });
    kept.balance = i64::from(note.n);
    let account = context.instance_id();
    let remark = if note.act == Act::Poison { "much too long" } else { "short" };
    let row = DomainWrite::upsert(ledger())
        .set("ID", account)
        .set("BALANCE", kept.balance)
        .set("VERSION", context.version())
        .set("REMARK", remark);
    let effects = note.sends.iter().enumerate();
    let effects = effects.map(|(place, send)| send.effect(account, note.n, place));
    let mut step = Transition::advance(AccountState::Open).data(kept).write(row).effects(effects);
    if let Some(act) = note.timer {
        step = step.timer(timer(act, note.n));
    }
    step.into()
}

fn timer(act: TimerAct, n: u32) -> TimerChange {
    match act {
        TimerAct::Cancel { slot } => TimerChange::Cancel { name: SLOTS[slot] },
        TimerAct::Set { slot, after_ms } => TimerChange::Set {
            name: SLOTS[slot],
            after: Duration::from_millis(after_ms),
            event_type: "Rang",
            payload: Json::of(&Rang { n }).unwrap_or_else(|_| Json::empty_object()),
        },
    }
}
