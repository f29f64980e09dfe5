//! The steps of a hit: where each leads, and what is written and announced with it.

use std::sync::Arc;

use dipmo_api::{Advance, DomainWrite, Effect, ProcessState, TimerChange, Transition};
use dipmo_domain::{Destination, Failure, Json};
use serde_json::{Value, json};

use crate::process::HitContext;
use crate::{HitData, HitProcess, HitState, ReviewCompleted};

type HitAdvance = Advance<HitState, HitData>;

/// The timer that watches a review.
const REVIEW_OVERDUE: &str = "review-overdue";

impl HitProcess {
    pub(crate) fn create(&self, data: HitData, context: &HitContext<'_>) -> HitAdvance {
        let hit = self.hit(&data, HitState::HitCreated, context);
        Transition::advance(HitState::HitCreated).write(hit).data(data)
    }

    /// Through the qualification to where it leads at once: a review, or the end.
    pub(crate) fn qualify(
        &self,
        from: HitState,
        data: HitData,
        positive: bool,
        context: &HitContext<'_>,
    ) -> HitAdvance {
        let (qualified, end) = if positive {
            (HitState::QualifiedPositive, HitState::ReviewStarted)
        } else {
            (HitState::QualifiedNegative, HitState::Completed)
        };
        let step = match from {
            HitState::Received => Transition::advance(end).via(HitState::HitCreated),
            _ => Transition::advance(end),
        };
        let payload = json!({ "hitId": context.instance_id(), "positive": positive });
        let step = step.via(qualified).effects(announce("HitQualified", &payload));
        if positive {
            self.with_review(step, data, context)
        } else {
            self.with_end(step, data, context)
        }
    }

    pub(crate) fn start_review(&self, context: &HitContext<'_>) -> HitAdvance {
        let step = Transition::advance(HitState::ReviewStarted);
        self.with_review(step, context.data().clone(), context)
    }

    pub(crate) fn close(&self, context: &HitContext<'_>) -> HitAdvance {
        let step = Transition::advance(HitState::Completed);
        self.with_end(step, context.data().clone(), context)
    }

    pub(crate) fn complete(
        &self,
        review: &ReviewCompleted,
        context: &HitContext<'_>,
    ) -> HitAdvance {
        Transition::advance(HitState::Completed)
            .write(self.hit(context.data(), HitState::Completed, context))
            .write(self.review("DONE", context).set("OUTCOME", review.outcome.as_str()))
            .timer(TimerChange::Cancel { name: REVIEW_OVERDUE })
    }

    pub(crate) fn fail(
        &self,
        from: HitState,
        data: HitData,
        failure: Failure,
        context: &HitContext<'_>,
    ) -> HitAdvance {
        let hit = self.hit(&data, HitState::Failed, context);
        let step = Transition::advance(HitState::Failed).failure(failure).write(hit).data(data);
        match from {
            HitState::ReviewStarted => step
                .write(self.review("ABORTED", context))
                .timer(TimerChange::Cancel { name: REVIEW_OVERDUE }),
            _ => step,
        }
    }

    fn with_review(&self, step: HitAdvance, data: HitData, context: &HitContext<'_>) -> HitAdvance {
        let data = HitData { positive: Some(true), ..data };
        step.effects(announce("ReviewStarted", &json!({ "hitId": context.instance_id() })))
            .write(self.hit(&data, HitState::ReviewStarted, context))
            .write(self.review("OPEN", context))
            .timer(TimerChange::Set {
                name: REVIEW_OVERDUE,
                after: self.review_within,
                event_type: "ReviewOverdue",
                payload: Json::empty_object(),
            })
            .data(data)
    }

    fn with_end(&self, step: HitAdvance, data: HitData, context: &HitContext<'_>) -> HitAdvance {
        let data = HitData { positive: Some(false), ..data };
        step.write(self.hit(&data, HitState::Completed, context)).data(data)
    }

    /// The row of HITS. Only this instance writes it, so its VERSION serves as the revision.
    fn hit(&self, data: &HitData, status: HitState, context: &HitContext<'_>) -> DomainWrite {
        DomainWrite::upsert(Arc::clone(&self.hits))
            .set("HIT_ID", context.instance_id())
            .set("NOTIFICATION_ID", data.notification_id.as_str())
            .set("CUSTOMER_ID", data.customer_id.clone())
            .set("STATUS", status.name())
            .set("REVISION", context.version())
    }

    fn review(&self, status: &str, context: &HitContext<'_>) -> DomainWrite {
        DomainWrite::upsert(Arc::clone(&self.reviews))
            .set("HIT_ID", context.instance_id())
            .set("STATUS", status)
            .set("REVISION", context.version())
    }
}

/// To the other modules, and to whoever listens outside.
fn announce(event_type: &str, payload: &Value) -> [Effect; 2] {
    let outside = Destination::Kafka { topic: "hit-events".to_owned() };
    [Destination::internal(), outside]
        .map(|destination| Effect::new(destination, event_type).payload(payload))
}
