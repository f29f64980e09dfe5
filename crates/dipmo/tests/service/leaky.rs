//! A process and a publisher that say what they were given whenever they can.

use async_trait::async_trait;
use dipmo_api::{Context, Description, Effect, Process, Transition, events, states};
use dipmo_domain::{Failure, Json};
use dipmo_inbox::{Identity, NewMessage, Record};
use dipmo_outbox::{Delivery, Published, Publisher};
use serde::{Deserialize, Serialize};

states! {
    /// It talks.
    pub(crate) enum LeakyState {
        /// Nothing came yet.
        New = "NEW",
        /// Something came.
        Talking = "TALKING",
    }
    initial New;
    New => Talking;
    Talking => Talking;
}

events! {
    /// What can come.
    pub(crate) enum LeakyEvent {
        /// Something to talk about.
        Told(Told) = "Told" v1,
    }
}

/// A payload.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    /// What nobody else may hear.
    pub(crate) secret: String,
    /// What to do with it.
    pub(crate) how: String,
}

/// What an instance remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heard(String);

pub(crate) struct Leaky;

impl Process for Leaky {
    const NAME: &'static str = "LEAKY";
    type State = LeakyState;
    type Event = LeakyEvent;
    type Data = Heard;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_LEAKY_STATE").subscribe_to("leaky", ["Told"])
    }

    fn decide(
        &self,
        _: &LeakyState,
        event: &LeakyEvent,
        context: &Context<'_, Heard>,
    ) -> Transition<LeakyState, Heard> {
        let LeakyEvent::Told(told) = event;
        let failure = || Failure::new("LEAKY", &format!("it says {}", told.secret));
        match told.how.as_str() {
            "reject" => Transition::reject(failure()),
            "retry" if context.attempts() == 0 => Transition::retry(failure()),
            "panic" => panic!("it shouts {}", told.secret),
            how => Transition::advance(LeakyState::Talking)
                .data(Heard(told.secret.clone()))
                .effect(Effect::new(format!("KAFKA:{how}").parse().unwrap(), "Told").payload(told))
                .into(),
        }
    }
}

#[async_trait]
impl Publisher for Leaky {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let answer = |delivery: &Delivery| {
            let payload = delivery.payload.as_str();
            let failure = Failure::new("LEAKY", payload);
            match delivery.destination.to_string().as_str() {
                "KAFKA:refuse" => Published::Refused(failure),
                "KAFKA:shout" => panic!("{payload}"),
                _ => Published::delivered(),
            }
        };
        deliveries.iter().map(answer).collect()
    }
}

/// A message that is to be treated so.
pub(crate) fn message(n: i64, how: &str, secret: &str) -> NewMessage {
    let told = Told { secret: secret.to_owned(), how: how.to_owned() };
    let payload = Json::of(&told).unwrap();
    let record = Record {
        topic: "leaky".to_owned(),
        offset: n,
        timestamp_millis: -1,
        value: Some(payload.as_str().as_bytes().to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "test".to_owned(),
        message_id: Some(format!("m-{n}")),
        aggregate_id: Some(format!("A-{n}")),
        event_type: Some("Told".to_owned()),
        event_version: Some(1),
        source_version: None,
        event_ts: None,
    };
    NewMessage::decoded(&record, &identity, payload)
}
