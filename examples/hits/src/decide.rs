//! The decisions, one function for each event: what it means in each state.

use std::time::Duration;

use dipmo_api::{Park, Stay, Transition};
use dipmo_domain::Failure;

use crate::process::{HitContext, Step};
use crate::{HitAborted, HitData, HitProcess, HitState, NotificationReceived, ReviewCompleted};

/// How long an event that came too early waits for the one before it.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

impl HitProcess {
    /// createHit(), and with an assessment qualifyHit() in the same step.
    pub(crate) fn notified(
        &self,
        state: HitState,
        notice: &NotificationReceived,
        context: &HitContext<'_>,
    ) -> Step {
        if state != HitState::Received {
            let known = context.data().notification_id == notice.notification_id;
            let changed = || reject("NOTIFICATION_CHANGED", "the hit is of another notification");
            return if known { Transition::stay(Stay::Duplicate) } else { changed() };
        }
        let data = HitData {
            notification_id: notice.notification_id.clone(),
            customer_id: notice.customer_id.clone(),
            positive: None,
        };
        match &notice.assessment {
            Some(assessed) => self.qualify(state, data, assessed.positive, context).into(),
            None => self.create(data, context).into(),
        }
    }

    /// qualifyHit(), and startReview() for one that is real.
    pub(crate) fn assessed(
        &self,
        state: HitState,
        positive: bool,
        context: &HitContext<'_>,
    ) -> Step {
        match state {
            HitState::Received => too_early(context),
            HitState::HitCreated => {
                self.qualify(state, context.data().clone(), positive, context).into()
            }
            // Nobody rests here but a row that an operator put there: take up where it stands.
            HitState::QualifiedPositive if positive => self.start_review(context).into(),
            HitState::QualifiedNegative if !positive => self.close(context).into(),
            HitState::ReviewStarted | HitState::Completed
                if context.data().positive == Some(positive) =>
            {
                Transition::stay(Stay::Duplicate)
            }
            HitState::Failed => Transition::stay(Stay::Stale),
            HitState::QualifiedPositive
            | HitState::QualifiedNegative
            | HitState::ReviewStarted
            | HitState::Completed => {
                reject("ASSESSMENT_CHANGED", "the hit was assessed otherwise before")
            }
        }
    }

    /// reviewCompleted().
    pub(crate) fn reviewed(
        &self,
        state: HitState,
        review: &ReviewCompleted,
        context: &HitContext<'_>,
    ) -> Step {
        match state {
            HitState::Received | HitState::HitCreated | HitState::QualifiedPositive => {
                too_early(context)
            }
            HitState::ReviewStarted => self.complete(review, context).into(),
            HitState::Completed if context.data().positive == Some(true) => {
                Transition::stay(Stay::Duplicate)
            }
            HitState::QualifiedNegative | HitState::Completed => {
                reject("REVIEW_UNKNOWN", "a hit that is not real is not reviewed")
            }
            HitState::Failed => Transition::stay(Stay::Stale),
        }
    }

    /// Into FAILED from wherever the diagram has such an edge.
    pub(crate) fn aborted(
        &self,
        state: HitState,
        aborted: &HitAborted,
        context: &HitContext<'_>,
    ) -> Step {
        let failure = Failure::new("HIT_ABORTED", &aborted.reason);
        match state {
            HitState::Received => {
                let notification_id = aborted.notification_id.clone();
                let data = HitData { notification_id, ..context.data().clone() };
                self.fail(state, data, failure, context).into()
            }
            HitState::HitCreated | HitState::QualifiedPositive | HitState::ReviewStarted => {
                self.fail(state, context.data().clone(), failure, context).into()
            }
            HitState::QualifiedNegative | HitState::Completed => Transition::stay(Stay::Stale),
            HitState::Failed => Transition::stay(Stay::Duplicate),
        }
    }

    /// The timer of the review; it may have been on its way when it was cancelled.
    pub(crate) fn overdue(&self, state: HitState, context: &HitContext<'_>) -> Step {
        let failure = Failure::new("REVIEW_OVERDUE", "nobody completed the review in time");
        match state {
            HitState::ReviewStarted => {
                self.fail(state, context.data().clone(), failure, context).into()
            }
            _ => Transition::stay(Stay::Stale),
        }
    }
}

/// Waits while an earlier version of the hit is missing. A retry would not help: what is missing
/// would wait behind it.
fn too_early(context: &HitContext<'_>) -> Step {
    let seen = context.last_source_version().unwrap_or(0);
    match context.message().source_version {
        Some(version) if seen < version - 1 => {
            Transition::park(Park { until_version: version - 1, timeout: PATIENCE })
        }
        _ => reject("HIT_OUT_OF_ORDER", "the hit has not come that far, and no version says why"),
    }
}

fn reject(code: &str, message: &str) -> Step {
    Transition::reject(Failure::new(code, message))
}
