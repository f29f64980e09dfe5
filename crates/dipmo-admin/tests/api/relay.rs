//! A process that sends on what it is told, and a destination that does not like everything.

use async_trait::async_trait;
use dipmo_api::{
    Context, DeliveryReport, Description, Effect, Process, Transition, events, states,
};
use dipmo_domain::{Failure, RecordKey};
use dipmo_outbox::{Delivery, Published, Publisher};
use serde::{Deserialize, Serialize};

/// The record that the destination refuses.
pub(crate) const BAD: &str = "bad";

states! {
    /// It moves, or it does not.
    pub(crate) enum RelayState {
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
    pub(crate) enum RelayEvent {
        /// From outside.
        Order(Order) = "Order" v1,
        /// From itself.
        Told(Order) = "Told" v1,
        /// An intent arrived.
        Delivered(DeliveryReport) = "Delivered" v1,
        /// An intent did not arrive.
        DeliveryFailed(DeliveryReport) = "DeliveryFailed" v1,
    }
}

/// What a message wants done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Order {
    /// What nobody is to see.
    pub(crate) secret: String,
    /// Send to these destinations.
    pub(crate) tell: Vec<String>,
    /// About these records.
    pub(crate) records: Vec<String>,
    /// And ask for the outcome.
    pub(crate) ask: bool,
    /// Fail for good.
    pub(crate) reject: bool,
    /// Tell oneself so often.
    pub(crate) hops: u32,
}

/// The process.
pub(crate) struct Relay;

impl Process for Relay {
    const NAME: &'static str = "RELAY";
    type State = RelayState;
    type Event = RelayEvent;
    type Data = Order;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_RELAY_STATE")
            .subscribe_to("orders", ["Order"])
            .subscribe_to("internal:relay", ["Told"])
    }

    fn decide(
        &self,
        _: &RelayState,
        event: &RelayEvent,
        context: &Context<'_, Order>,
    ) -> Transition<RelayState, Order> {
        let advance = Transition::advance(RelayState::Going);
        let (order, tell) = match event {
            RelayEvent::Order(order) => (order.clone(), order.tell.clone()),
            RelayEvent::Told(order) if order.hops > 0 => {
                let again = Order { hops: order.hops - 1, ..order.clone() };
                (again, vec!["INTERNAL:relay".to_owned()])
            }
            _ => return advance.data(context.data().clone()).into(),
        };
        if order.reject {
            let message = format!("there is no customer \"{}\"", order.secret);
            return Transition::reject(Failure::new("NO_CUSTOMER", &message));
        }
        let effects: Vec<Effect> = tell
            .iter()
            .map(|destination| {
                let effect = Effect::new(destination.parse().unwrap(), "Told").payload(&order);
                let effect = effect.records(order.records.iter().cloned().map(RecordKey));
                if order.ask { effect.expects_outcome() } else { effect }
            })
            .collect();
        advance.data(order).effects(effects).into()
    }
}

/// Takes everything but one record.
pub(crate) struct Picky;

#[async_trait]
impl Publisher for Picky {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let answer = |delivery: &Delivery| match &delivery.record {
            Some(record) if record.0 == BAD => {
                let order: Order = delivery.payload.read().unwrap();
                let message = format!("it does not like '{}'", order.secret);
                Published::Refused(Failure::new("DISLIKED", &message))
            }
            record => Published::Delivered {
                external_ref: record.as_ref().map(|record| format!("there-{record}")),
            },
        };
        deliveries.iter().map(answer).collect()
    }
}
