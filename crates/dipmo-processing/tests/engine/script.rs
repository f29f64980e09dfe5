//! A process that does what its messages say.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{
    Context, DeliveryReport, Description, DomainWrite, Effect, FactRequest, MessageView, Process,
    TimerChange, Transition, Versions, events, states,
};
use dipmo_domain::{Failure, Json, RecordKey, Value};
use serde::{Deserialize, Serialize};

states! {
    /// It moves, or it does not.
    pub(crate) enum ScriptState {
        /// Nothing came yet.
        New = "NEW",
        /// Something came.
        Going = "GOING",
    }
    initial New;
    New => Going;
    Going => Going;
}

events! {
    /// What can come.
    pub(crate) enum ScriptEvent {
        /// Do something.
        Step(Step) = "Step" v1,
        /// Another process said something.
        Told(Step) = "Told" v1,
        /// A timer rang.
        Rang = "Rang" v1,
        /// An intent arrived.
        Delivered(DeliveryReport) = "Delivered" v1,
        /// An intent did not arrive.
        DeliveryFailed(DeliveryReport) = "DeliveryFailed" v1,
    }
}

/// What a message wants done.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Step {
    /// A number to remember.
    pub(crate) n: i64,
    /// Fail for now until so many attempts were made.
    pub(crate) fails: u32,
    /// Fail for good.
    pub(crate) reject: bool,
    /// Panic.
    pub(crate) panic: bool,
    /// Send to these destinations.
    pub(crate) tell: Vec<String>,
    /// About these records.
    pub(crate) records: Vec<String>,
    /// And ask for the outcome.
    pub(crate) ask: bool,
    /// Read how many steps of this instance are in the table, and remember it.
    pub(crate) count: bool,
    /// Ring after so many seconds; a negative number cancels.
    pub(crate) ring: Option<i64>,
}

/// What an instance remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScriptData {
    /// The numbers, in the order in which they were taken.
    pub(crate) seen: Vec<i64>,
    /// What was counted.
    pub(crate) counted: Vec<usize>,
    /// What else came.
    pub(crate) heard: Vec<String>,
}

/// The process.
pub(crate) struct Script {
    steps: Arc<DomainTable>,
    versions: Versions,
}

impl Script {
    pub(crate) fn new(versions: Versions) -> Self {
        let steps = DomainTable {
            name: "STEPS",
            columns: vec![
                Column::new("N", ColumnKind::Integer).required(),
                Column::new("INSTANCE", ColumnKind::Text(200)).required(),
            ],
            key: vec!["N"],
            version: None,
        };
        Self { steps: Arc::new(steps), versions }
    }
}

impl Process for Script {
    const NAME: &'static str = "SCRIPT";
    type State = ScriptState;
    type Event = ScriptEvent;
    type Data = ScriptData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_SCRIPT_STATE")
            .domain_table(&self.steps)
            .fact("steps", &self.steps, "INSTANCE")
            .subscribe_to("script", ["Step"])
            .subscribe_to("internal:*", ["Told"])
            .versions(self.versions)
    }

    fn facts(&self, event: &ScriptEvent, message: &MessageView<'_>) -> Vec<FactRequest> {
        match event {
            ScriptEvent::Step(step) if step.count => {
                let key = Value::from(message.aggregate_id.unwrap_or_default());
                vec![FactRequest::new("steps", key)]
            }
            _ => vec![],
        }
    }

    fn decide(
        &self,
        _: &ScriptState,
        event: &ScriptEvent,
        context: &Context<'_, ScriptData>,
    ) -> Transition<ScriptState, ScriptData> {
        let mut data = context.data().clone();
        let advance = Transition::advance(ScriptState::Going);
        let step = match event {
            ScriptEvent::Step(step) => step,
            ScriptEvent::Told(step) => {
                data.heard.push(format!("told {}", step.n));
                return advance.data(data).into();
            }
            ScriptEvent::Rang => {
                data.heard.push("rang".to_owned());
                return advance.data(data).into();
            }
            ScriptEvent::Delivered(report) => {
                data.heard.push(format!("delivered {}", report.dispatched));
                return advance.data(data).into();
            }
            ScriptEvent::DeliveryFailed(report) => {
                data.heard.push(format!(
                    "failed {} of {}",
                    report.failed,
                    report.dispatched + report.failed
                ));
                return advance.data(data).into();
            }
        };
        assert!(!step.panic, "as the message wanted");
        if step.reject {
            return Transition::reject(Failure::new("REJECTED", "as the message wanted"));
        }
        if context.attempts() < step.fails {
            return Transition::retry(Failure::new("NOT_YET", "as the message wanted"));
        }
        data.seen.push(step.n);
        if step.count {
            data.counted.push(context.facts("steps").count());
        }
        let row = DomainWrite::upsert(Arc::clone(&self.steps))
            .set("N", step.n)
            .set("INSTANCE", context.instance_id());
        let effects = step.tell.iter().map(|destination| {
            let effect = Effect::new(destination.parse().unwrap(), "Told").payload(step);
            let effect = effect.records(step.records.iter().cloned().map(RecordKey));
            if step.ask { effect.expects_outcome() } else { effect }
        });
        let advance = advance.data(data).write(row).effects(effects);
        match step.ring {
            Some(seconds) if seconds >= 0 => advance.timer(TimerChange::Set {
                name: "ring",
                after: Duration::from_secs(seconds.unsigned_abs()),
                event_type: "Rang",
                payload: Json::empty_object(),
            }),
            Some(_) => advance.timer(TimerChange::Cancel { name: "ring" }),
            None => advance,
        }
        .into()
    }
}
