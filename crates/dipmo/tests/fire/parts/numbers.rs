//! A process that takes numbered steps and notes whatever is out of turn.
//!
//! A step that is taken twice, not at all or in the wrong order leaves a trace in the state for
//! ever: it is not the one after the last.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{
    Context, Description, DomainWrite, Effect, FactRequest, MessageView, Process, TimerChange,
    Transition, events, states,
};
use dipmo_domain::{Failure, Json};
use serde::{Deserialize, Serialize};

use super::step::Step;
use super::stop;

states! {
    /// It counts.
    pub(crate) enum NumbersState {
        /// Nothing came yet.
        New = "NEW",
        /// Something came.
        Counting = "COUNTING",
    }
    initial New;
    New => Counting;
    Counting => Counting;
}

events! {
    /// What can come.
    pub(crate) enum NumbersEvent {
        /// The next number.
        Step(Step) = "Step" v1,
        /// A timer that a step has set.
        Rang(Step) = "Rang" v1,
    }
}

/// What an instance remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Count {
    /// The number that came last.
    pub(crate) last: i64,
    /// Numbers that were not the one after the last, with the last.
    pub(crate) out_of_turn: Vec<(i64, i64)>,
    /// Numbers that did not find the row of the one before.
    pub(crate) not_found: Vec<i64>,
    /// The timers that rang.
    pub(crate) rang: Vec<i64>,
}

impl Count {
    /// All numbers from 1, each in its turn.
    pub(crate) fn up_to(last: i64) -> Self {
        Self { last, ..Self::default() }
    }
}

/// Names of timers; each is set once, so each must ring once.
pub(crate) const TIMERS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

pub(crate) struct Numbers {
    steps: Arc<DomainTable>,
    decisions: Arc<AtomicU64>,
}

impl Numbers {
    /// Counts its decisions, those of batches that were taken back as well.
    pub(crate) fn new(decisions: &Arc<AtomicU64>) -> Self {
        let columns = vec![
            Column::new("ID", ColumnKind::Text(200)).required(),
            Column::new("N", ColumnKind::Integer).required(),
        ];
        let steps = DomainTable { name: "STEPS", columns, key: vec!["ID"], version: None };
        Self { steps: Arc::new(steps), decisions: Arc::clone(decisions) }
    }

    fn row(aggregate: &str, n: i64) -> String {
        format!("{aggregate}/{n}")
    }
}

impl Process for Numbers {
    const NAME: &'static str = "NUMBERS";
    type State = NumbersState;
    type Event = NumbersEvent;
    type Data = Count;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_NUMBERS_STATE")
            .domain_table(&self.steps)
            .fact("step", &self.steps, "ID")
            .subscribe_to("numbers", ["Step"])
    }

    fn facts(&self, event: &NumbersEvent, message: &MessageView<'_>) -> Vec<FactRequest> {
        match event {
            NumbersEvent::Step(step) if step.look => {
                let before = Self::row(message.aggregate_id.unwrap_or_default(), step.n - 1);
                vec![FactRequest::new("step", before)]
            }
            _ => vec![],
        }
    }

    fn decide(
        &self,
        _: &NumbersState,
        event: &NumbersEvent,
        context: &Context<'_, Count>,
    ) -> Transition<NumbersState, Count> {
        self.decisions.fetch_add(1, Ordering::Relaxed);
        let mut count = context.data().clone();
        let advance = Transition::advance(NumbersState::Counting);
        let step = match event {
            NumbersEvent::Step(step) => step,
            NumbersEvent::Rang(step) => {
                count.rang.push(step.n);
                return advance.data(count).into();
            }
        };
        stop::at("while it decides", step.stop_deciding);
        if context.attempts() < step.fails {
            return Transition::retry(Failure::new("NOT_YET", "as the message wanted"));
        }
        if step.n != count.last + 1 {
            count.out_of_turn.push((count.last, step.n));
        }
        if step.look && context.fact("step").is_none() {
            count.not_found.push(step.n);
        }
        count.last = step.n;
        let row = DomainWrite::upsert(Arc::clone(&self.steps))
            .set("ID", Self::row(context.instance_id(), step.n))
            .set("N", step.n);
        let effect = |to: &String| Effect::new(to.parse().unwrap(), "Told").payload(step);
        let advance = advance.data(count).write(row).effects(step.tell.iter().map(effect));
        match step.ring {
            Some(timer) => advance.timer(TimerChange::Set {
                name: TIMERS[timer],
                after: Duration::from_millis(100),
                event_type: "Rang",
                payload: Json::of(step).unwrap(),
            }),
            None => advance,
        }
        .into()
    }
}
