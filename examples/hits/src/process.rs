//! The process itself: what it is made of, and which function decides about which event.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::table::DomainTable;
use dipmo_api::{Context, Description, Process, Transition};
use serde::{Deserialize, Serialize};

use crate::{HitEvent, HitState, event, tables};

/// From notification 126 to the end of the review.
pub struct HitProcess {
    pub(crate) hits: Arc<DomainTable>,
    pub(crate) reviews: Arc<DomainTable>,
    pub(crate) review_within: Duration,
}

/// What a hit remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HitData {
    /// The id of the notification at iHub.
    pub notification_id: String,
    /// Whom it is about, if that is known.
    pub customer_id: Option<String>,
    /// The assessment, once there is one.
    #[serde(default)]
    pub positive: Option<bool>,
}

pub(crate) type Step = Transition<HitState, HitData>;
pub(crate) type HitContext<'a> = Context<'a, HitData>;

impl HitProcess {
    /// A review that takes longer than `review_within` fails its hit.
    #[must_use]
    pub fn new(review_within: Duration) -> Self {
        Self { hits: tables::hits(), reviews: tables::reviews(), review_within }
    }
}

impl Process for HitProcess {
    const NAME: &'static str = "HIT";
    type State = HitState;
    type Event = HitEvent;
    type Data = HitData;

    fn describe(&self) -> Description {
        let events = ["NotificationReceived", "HitAssessed", "ReviewCompleted", "HitAborted"];
        Description::of::<Self>("CK_HIT_STATE")
            .project_required("NOTIFICATION_ID", "notificationId")
            .project("CUSTOMER_ID", "customerId")
            .domain_table(&self.hits)
            .domain_table(&self.reviews)
            .subscribe_to("notification-126", events)
            .upcast("NotificationReceived", 1, event::rename_client_number)
    }

    fn decide(&self, state: &HitState, event: &HitEvent, context: &HitContext<'_>) -> Step {
        match event {
            HitEvent::NotificationReceived(notice) => self.notified(*state, notice, context),
            HitEvent::HitAssessed(assessed) => self.assessed(*state, assessed.positive, context),
            HitEvent::ReviewCompleted(review) => self.reviewed(*state, review, context),
            HitEvent::HitAborted(aborted) => self.aborted(*state, aborted, context),
            HitEvent::ReviewOverdue => self.overdue(*state, context),
        }
    }
}
