//! A process that cannot do what some orders want until somebody has mended it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dipmo_api::{Context, Description, Effect, Process, Transition, events, states};
use dipmo_domain::{Destination, Failure};
use serde::{Deserialize, Serialize};

states! {
    /// It takes orders.
    pub(crate) enum OrdersState {
        /// The one.
        Open = "OPEN",
    }
    initial Open;
    Open => Open;
}

/// An order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Order {
    /// Its number, which grows.
    pub(crate) n: u32,
    /// It can be taken only once the process is mended.
    #[serde(default)]
    pub(crate) bad: bool,
}

events! {
    /// What it hears.
    pub(crate) enum OrdersEvent {
        /// An order came.
        Placed(Order) = "Placed" v1,
    }
}

/// Tells each order to a topic, once.
pub(crate) struct Orders {
    pub(crate) topic: String,
    pub(crate) tells: Destination,
    pub(crate) mended: Arc<AtomicBool>,
}

impl Process for Orders {
    const NAME: &'static str = "ORDERS";
    type State = OrdersState;
    type Event = OrdersEvent;
    type Data = ();

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_ORDERS_STATE").subscribe(&self.topic)
    }

    fn decide(
        &self,
        _: &OrdersState,
        OrdersEvent::Placed(order): &OrdersEvent,
        _: &Context<'_, ()>,
    ) -> Transition<OrdersState, ()> {
        if order.bad && !self.mended.load(Ordering::SeqCst) {
            return Transition::retry(Failure::new("NO_FAMILY", "no such family"));
        }
        let effect = Effect::new(self.tells.clone(), "Taken").payload(order);
        Transition::advance(OrdersState::Open).effect(effect).into()
    }
}
