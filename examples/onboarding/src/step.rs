//! The steps of an onboarding: where each leads, and what is written and announced with it.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::{Advance, DomainWrite, Effect, TimerChange, Transition};
use dipmo_domain::{Destination, Failure, Json};
use serde_json::{Value, json};

use crate::process::OnboardingContext;
use crate::{OnboardingData, OnboardingProcess, OnboardingRequested, OnboardingState};

type OnboardingAdvance = Advance<OnboardingState, OnboardingData>;

/// The STATUS of a customer who has a block.
pub(crate) const BLOCKED: &str = "BLOCKED";

/// The timer that watches the wait for a block.
const BLOCK_OVERDUE: &str = "block-overdue";

impl OnboardingProcess {
    pub(crate) fn turn_down(&self, request: &OnboardingRequested) -> OnboardingAdvance {
        Transition::advance(OnboardingState::Failed)
            .data(remember(request))
            .failure(Failure::new("CUSTOMER_NOT_QUALIFIED", "the papers are not complete"))
            .write(
                self.customer(&request.customer_id, "TURNED_DOWN")
                    .set("NAME", request.name.as_str()),
            )
    }

    /// All the way, when the customer has a block already.
    pub(crate) fn accept(
        &self,
        request: &OnboardingRequested,
        context: &OnboardingContext<'_>,
    ) -> OnboardingAdvance {
        Transition::advance(OnboardingState::Completed)
            .via(OnboardingState::Qualified)
            .via(OnboardingState::BlockCreated)
            .data(remember(request))
            .effects(announce("CustomerQualified", &about(&request.customer_id, context)))
            .write(self.customer(&request.customer_id, BLOCKED).set("NAME", request.name.as_str()))
    }

    /// All the way, with a block of our own.
    pub(crate) fn accept_and_block(
        &self,
        request: &OnboardingRequested,
        context: &OnboardingContext<'_>,
    ) -> OnboardingAdvance {
        let block = DomainWrite::upsert(Arc::clone(&self.blocks))
            .set("CUSTOMER_ID", request.customer_id.as_str())
            .set("ONBOARDING_ID", context.instance_id());
        self.accept(request, context)
            .effects(announce("BlockCreated", &about(&request.customer_id, context)))
            .write(block)
    }

    /// As far as QUALIFIED; the answer leads on.
    pub(crate) fn ask_for_block(
        &self,
        request: &OnboardingRequested,
        within: Duration,
        context: &OnboardingContext<'_>,
    ) -> OnboardingAdvance {
        let payload = about(&request.customer_id, context);
        let blocks = Destination::Internal { name: Some("blocks".to_owned()) };
        Transition::advance(OnboardingState::Qualified)
            .data(remember(request))
            .effects(announce("CustomerQualified", &payload))
            .effect(Effect::new(blocks, "BlockRequested").payload(&payload))
            .write(
                self.customer(&request.customer_id, "QUALIFIED").set("NAME", request.name.as_str()),
            )
            .timer(TimerChange::Set {
                name: BLOCK_OVERDUE,
                after: within,
                event_type: "BlockOverdue",
                payload: Json::empty_object(),
            })
    }

    /// The module that created the block wrote its row; what is left is ours.
    pub(crate) fn complete(
        &self,
        from: OnboardingState,
        context: &OnboardingContext<'_>,
    ) -> OnboardingAdvance {
        let customer = &context.data().customer_id;
        let step = match from {
            OnboardingState::Qualified => {
                Transition::advance(OnboardingState::Completed).via(OnboardingState::BlockCreated)
            }
            _ => Transition::advance(OnboardingState::Completed),
        };
        step.effects(announce("BlockCreated", &about(customer, context)))
            .write(self.customer(customer, BLOCKED))
            .timer(TimerChange::Cancel { name: BLOCK_OVERDUE })
    }

    pub(crate) fn fail(
        &self,
        failure: Failure,
        context: &OnboardingContext<'_>,
    ) -> OnboardingAdvance {
        Transition::advance(OnboardingState::Failed)
            .failure(failure)
            .write(self.customer(&context.data().customer_id, "TURNED_DOWN"))
            .timer(TimerChange::Cancel { name: BLOCK_OVERDUE })
    }

    fn customer(&self, customer_id: &str, status: &str) -> DomainWrite {
        DomainWrite::upsert(Arc::clone(&self.customers))
            .set("CUSTOMER_ID", customer_id)
            .set("STATUS", status)
    }
}

fn remember(request: &OnboardingRequested) -> OnboardingData {
    OnboardingData { customer_id: request.customer_id.clone() }
}

fn about(customer_id: &str, context: &OnboardingContext<'_>) -> Value {
    json!({ "onboardingId": context.instance_id(), "customerId": customer_id })
}

/// To the other modules, and to whoever listens outside.
fn announce(event_type: &str, payload: &Value) -> [Effect; 2] {
    let outside = Destination::Kafka { topic: "onboarding-events".to_owned() };
    [Destination::internal(), outside]
        .map(|destination| Effect::new(destination, event_type).payload(payload))
}
