//! The process itself: what it is made of, and which function decides about which event.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::table::DomainTable;
use dipmo_api::{Context, Description, FactRequest, MessageView, Process, Transition};
use serde::{Deserialize, Serialize};

use crate::{OnboardingEvent, OnboardingState, tables};

/// From the request of a customer to the block.
pub struct OnboardingProcess {
    pub(crate) customers: Arc<DomainTable>,
    pub(crate) blocks: Arc<DomainTable>,
    pub(crate) blocking: Blocking,
}

/// Who creates a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// The process itself, in the step that qualifies the customer.
    Synchronous,
    /// Another module: the process asks on `INTERNAL:blocks` and waits for the answer.
    Asynchronous {
        /// How long it waits before it fails.
        within: Duration,
    },
}

/// What an onboarding remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingData {
    /// Who is to become a customer.
    pub customer_id: String,
}

pub(crate) type Step = Transition<OnboardingState, OnboardingData>;
pub(crate) type OnboardingContext<'a> = Context<'a, OnboardingData>;

/// The fact that tells whether the customer is known already.
pub(crate) const CUSTOMER: &str = "customer";

impl OnboardingProcess {
    /// With blocks that are created in one way or the other.
    #[must_use]
    pub fn new(blocking: Blocking) -> Self {
        Self { customers: tables::customers(), blocks: tables::blocks(), blocking }
    }
}

impl Process for OnboardingProcess {
    const NAME: &'static str = "ONBOARDING";
    type State = OnboardingState;
    type Event = OnboardingEvent;
    type Data = OnboardingData;

    fn describe(&self) -> Description {
        let description = Description::of::<Self>("CK_OB_STATE")
            .project_required("CUSTOMER_ID", "customerId")
            .fact(CUSTOMER, &self.customers, "CUSTOMER_ID")
            .subscribe_to("onboarding-customer", ["OnboardingRequested"])
            .subscribe_to("internal:blocks", ["BlockCreated", "BlockRefused"]);
        match self.blocking {
            Blocking::Synchronous => description.domain_table(&self.blocks),
            // They are somebody else's.
            Blocking::Asynchronous { .. } => description,
        }
    }

    /// An answer names the onboarding that asked, whatever its own aggregate is.
    fn correlate(&self, event: &OnboardingEvent, message: &MessageView<'_>) -> Option<String> {
        match event {
            OnboardingEvent::BlockCreated(created) => Some(created.onboarding_id.clone()),
            OnboardingEvent::BlockRefused(refused) => Some(refused.onboarding_id.clone()),
            OnboardingEvent::OnboardingRequested(_) | OnboardingEvent::BlockOverdue => {
                message.aggregate_id.map(str::to_owned)
            }
        }
    }

    fn facts(&self, event: &OnboardingEvent, _: &MessageView<'_>) -> Vec<FactRequest> {
        match event {
            OnboardingEvent::OnboardingRequested(request) => {
                vec![FactRequest { name: CUSTOMER, key: request.customer_id.as_str().into() }]
            }
            _ => Vec::new(),
        }
    }

    fn decide(
        &self,
        state: &OnboardingState,
        event: &OnboardingEvent,
        context: &OnboardingContext<'_>,
    ) -> Step {
        match event {
            OnboardingEvent::OnboardingRequested(request) => {
                self.requested(*state, request, context)
            }
            OnboardingEvent::BlockCreated(_) => self.block_created(*state, context),
            OnboardingEvent::BlockRefused(refused) => self.block_refused(*state, refused, context),
            OnboardingEvent::BlockOverdue => self.block_overdue(*state, context),
        }
    }
}
