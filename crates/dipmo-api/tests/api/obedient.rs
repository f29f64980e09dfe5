//! A process that does whatever a message tells it to, for the tests of what dipmo lets through.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{
    Context, Description, DomainWrite, Effect, FactRequest, MessageView, Park, Process, Stay,
    TimerChange, Transition, events, states,
};
use dipmo_domain::{Destination, Failure, Json, RecordKey, Timestamp, Value};
use serde::{Deserialize, Serialize};

states! {
    /// Three states in a row, the middle one with an edge to itself.
    pub(crate) enum Place {
        Start = "START",
        Middle = "MIDDLE",
        End = "END",
    }
    initial Start;
    Start => Middle: "go()";
    Middle => Middle: "turn()";
    Middle => End;
}

events! {
    /// An order, and an event without a payload.
    #[derive(Debug)]
    pub(crate) enum Order {
        Do(Act) = "Do" v3,
        Rest = "Rest" v1,
    }
}

/// What is to be done, and what with.
#[derive(Debug, Deserialize)]
pub(crate) struct Act {
    pub(crate) act: String,
    #[serde(default)]
    pub(crate) with: String,
}

/// What is remembered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// The obedient process.
pub(crate) struct Obedient {
    things: Arc<DomainTable>,
    hidden: Arc<DomainTable>,
}

impl Obedient {
    pub(crate) fn new() -> Self {
        Self { things: table("THINGS"), hidden: table("HIDDEN") }
    }

    /// Obeys orders that change no state.
    fn outcome(act: &Act) -> Option<Transition<Place, Memory>> {
        let failure = || Failure::new("TOLD_SO", &act.with);
        Some(match act.act.as_str() {
            "retry" => Transition::retry(failure()),
            "reject" => Transition::reject(failure()),
            "park" => Transition::park(Park { until_version: 4, timeout: Duration::from_secs(60) }),
            "panic" => panic!("told to panic"),
            _ => return None,
        })
    }
}

impl Process for Obedient {
    const NAME: &'static str = "OBEDIENT";
    type State = Place;
    type Event = Order;
    type Data = Memory;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_OBEDIENT_STATE")
            .subscribe("orders")
            .project("NOTE", "note")
            .domain_table(&self.things)
            .fact("thing", &self.things, "ID")
            .fact("twin", &self.things, "ID")
            .begin_at("Do", 2)
            .upcast("Do", 2, lift_order)
    }

    fn correlate(&self, event: &Order, message: &MessageView<'_>) -> Option<String> {
        match event {
            Order::Do(Act { act, with }) if act == "be" => Some(with.clone()),
            _ => message.aggregate_id.map(str::to_owned),
        }
    }

    fn facts(&self, event: &Order, _: &MessageView<'_>) -> Vec<FactRequest> {
        match event {
            Order::Do(Act { act, .. }) if act == "guess" => {
                vec![FactRequest::new("guess", Value::Null)]
            }
            Order::Do(Act { act, with }) if act == "look" => {
                ["thing", "twin"].map(|name| FactRequest { name, key: with.as_str().into() }).into()
            }
            _ => Vec::new(),
        }
    }

    fn decide(
        &self,
        state: &Place,
        event: &Order,
        context: &Context<'_, Memory>,
    ) -> Transition<Place, Memory> {
        let Order::Do(order) = event else { return Transition::stay(Stay::Nothing) };
        if let Some(outcome) = Self::outcome(order) {
            return outcome;
        }
        let (with, go) = (order.with.as_str(), Transition::advance(Place::Middle));
        let thing =
            |table: &Arc<DomainTable>| DomainWrite::upsert(Arc::clone(table)).set("ID", with);
        let note = |note: String| go.clone().data(Memory { note: Some(note) });
        let announce = Effect::new(Destination::internal(), "Done");
        match order.act.as_str() {
            "go" => go.into(),
            "jump" => Transition::advance(Place::End).into(),
            "run" => Transition::advance(Place::End).via(Place::Middle).into(),
            "note" => note(with.to_owned()).into(),
            "look" => note(context.facts("thing").count().to_string()).into(),
            "spy" => note(context.fact("thing").is_some().to_string()).into(),
            "tell" => note(told(state, context)).into(),
            "say" => go.effect(announce.payload(&with)).into(),
            "shout" => go.effect(announce.about("T".repeat(51), "x")).into(),
            "send" => go.effect(announce.records([RecordKey(with.to_owned())])).into(),
            "write" => go.write(thing(&self.things)).into(),
            "hide" => go.write(thing(&self.hidden)).into(),
            "wait" => go.timer(alarm("alarm", "Rest")).into(),
            "dream" => go.timer(alarm("alarm", "Dream")).into(),
            "brood" => go.timer(alarm("alarm", "Do")).into(),
            "mumble" => go.timer(alarm("", "Rest")).into(),
            "wake" => go.timer(TimerChange::Cancel { name: "alarm" }).into(),
            _ => Transition::stay(Stay::Duplicate),
        }
    }
}

fn lift_order(mut order: serde_json::Value) -> Result<serde_json::Value, String> {
    let what = order.get_mut("what").map(serde_json::Value::take).ok_or("there is no what")?;
    order["act"] = what;
    Ok(order)
}

/// Everything that a context tells, in one line.
fn told(state: &Place, context: &Context<'_, Memory>) -> String {
    let seconds = context.now().since(Timestamp::EPOCH).as_secs();
    format!(
        "{state:?} {} v{} seen {:?} attempts {} at {seconds}s trace {:?}",
        context.instance_id(),
        context.version(),
        context.last_source_version(),
        context.attempts(),
        context.message().headers.text("trace"),
    )
}

fn alarm(name: &'static str, event_type: &'static str) -> TimerChange {
    let after = Duration::from_secs(60);
    TimerChange::Set { name, after, event_type, payload: Json::null() }
}

fn table(name: &'static str) -> Arc<DomainTable> {
    Arc::new(DomainTable {
        name,
        columns: vec![Column::new("ID", ColumnKind::Text(5)).required()],
        key: vec!["ID"],
        version: None,
    })
}
