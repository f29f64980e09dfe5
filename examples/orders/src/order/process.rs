//! The process itself, and its decision.

use std::sync::Arc;

use dipmo_api::{
    Context, Description, DomainWrite, Effect, FactRequest, MessageView, Process, Stay, Transition,
};
use dipmo_domain::{Destination, Failure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{OrderEvent, OrderRequested, OrderState};
use crate::Tables;

/// From the request to the confirmation.
pub struct OrderProcess {
    tables: Tables,
}

/// What an order remembers: what it was processed with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderData {
    /// What was wanted.
    pub product: Option<String>,
    /// How many of it.
    pub quantity: Option<i64>,
}

type Step = Transition<OrderState, OrderData>;
type OrderContext<'a> = Context<'a, OrderData>;

/// The fact that tells whether the product is listed.
const PRODUCT: &str = "product";

impl OrderProcess {
    /// On these tables.
    #[must_use]
    pub const fn new(tables: Tables) -> Self {
        Self { tables }
    }

    fn requested(
        &self,
        state: OrderState,
        request: &OrderRequested,
        context: &OrderContext<'_>,
    ) -> Step {
        let wanted =
            OrderData { product: Some(request.product.clone()), quantity: Some(request.quantity) };
        match state {
            OrderState::Processed if *context.data() == wanted => Transition::stay(Stay::Duplicate),
            OrderState::Processed => {
                reject("ORDER_CHANGED", "the order was processed with other contents before")
            }
            OrderState::Requested if request.quantity <= 0 => {
                reject("QUANTITY_INVALID", "the quantity is not above zero")
            }
            OrderState::Requested if context.fact(PRODUCT).is_none() => {
                Transition::retry(Failure::new("PRODUCT_UNKNOWN", "the product is not listed yet"))
            }
            OrderState::Requested => self.process(wanted, request, context),
        }
    }

    /// The row and the confirmation are one step, and so one transaction.
    fn process(
        &self,
        wanted: OrderData,
        request: &OrderRequested,
        context: &OrderContext<'_>,
    ) -> Step {
        let OrderRequested { order_id: _, product, quantity } = request;
        let id = context.instance_id();
        let row = DomainWrite::upsert(Arc::clone(&self.tables.orders))
            .set("ORDER_ID", id)
            .set("PRODUCT", product.as_str())
            .set("QUANTITY", *quantity)
            .set("STATUS", "PROCESSED");
        let confirmation = json!({ "orderId": id, "product": product, "quantity": quantity });
        let processed = Destination::Kafka { topic: "order-processed".to_owned() };
        Transition::advance(OrderState::Processed)
            .data(wanted)
            .write(row)
            .effect(Effect::new(processed, "OrderProcessed").payload(&confirmation))
            .into()
    }
}

impl Process for OrderProcess {
    const NAME: &'static str = "ORDER";
    type State = OrderState;
    type Event = OrderEvent;
    type Data = OrderData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_ORDER_STATE")
            .domain_table(&self.tables.orders)
            .fact(PRODUCT, &self.tables.products, "PRODUCT")
            .subscribe_to("order-requests", ["OrderRequested"])
    }

    fn facts(&self, event: &OrderEvent, _: &MessageView<'_>) -> Vec<FactRequest> {
        let OrderEvent::OrderRequested(request) = event;
        vec![FactRequest { name: PRODUCT, key: request.product.as_str().into() }]
    }

    fn decide(&self, state: &OrderState, event: &OrderEvent, context: &OrderContext<'_>) -> Step {
        let OrderEvent::OrderRequested(request) = event;
        self.requested(*state, request, context)
    }
}

fn reject(code: &str, message: &str) -> Step {
    Transition::reject(Failure::new(code, message))
}
