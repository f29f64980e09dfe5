//! The decisions, one function for each event: what it means in each state.

use dipmo_api::{Stay, Transition};
use dipmo_domain::{Failure, Value};

use crate::process::{CUSTOMER, OnboardingContext, Step};
use crate::step::BLOCKED;
use crate::{BlockRefused, Blocking, OnboardingProcess, OnboardingRequested, OnboardingState};

impl OnboardingProcess {
    /// qualifyCustomer(), and what follows from it.
    pub(crate) fn requested(
        &self,
        state: OnboardingState,
        request: &OnboardingRequested,
        context: &OnboardingContext<'_>,
    ) -> Step {
        if state != OnboardingState::Received {
            let known = context.data().customer_id == request.customer_id;
            let changed = || reject("CUSTOMER_CHANGED", "the onboarding is of another customer");
            return if known { Transition::stay(Stay::Duplicate) } else { changed() };
        }
        if !request.papers_complete {
            return self.turn_down(request).into();
        }
        match self.blocking {
            _ if is_blocked(context) => self.accept(request, context).into(),
            Blocking::Synchronous => self.accept_and_block(request, context).into(),
            Blocking::Asynchronous { within } => {
                self.ask_for_block(request, within, context).into()
            }
        }
    }

    /// The awaited answer.
    pub(crate) fn block_created(
        &self,
        state: OnboardingState,
        context: &OnboardingContext<'_>,
    ) -> Step {
        match state {
            OnboardingState::Received => never_asked(),
            // Only a row that an operator put there rests in BLOCK_CREATED: take it up there.
            OnboardingState::Qualified | OnboardingState::BlockCreated => {
                self.complete(state, context).into()
            }
            OnboardingState::Completed => Transition::stay(Stay::Duplicate),
            OnboardingState::Failed => {
                reject("BLOCK_TOO_LATE", "the customer is blocked, but the onboarding has failed")
            }
        }
    }

    /// The other answer.
    pub(crate) fn block_refused(
        &self,
        state: OnboardingState,
        refused: &BlockRefused,
        context: &OnboardingContext<'_>,
    ) -> Step {
        match state {
            OnboardingState::Received => never_asked(),
            OnboardingState::Qualified => {
                self.fail(Failure::new("BLOCK_REFUSED", &refused.reason), context).into()
            }
            OnboardingState::BlockCreated | OnboardingState::Completed => {
                Transition::stay(Stay::Stale)
            }
            OnboardingState::Failed => Transition::stay(Stay::Duplicate),
        }
    }

    /// The timer of the wait; it may have been on its way when it was cancelled.
    pub(crate) fn block_overdue(
        &self,
        state: OnboardingState,
        context: &OnboardingContext<'_>,
    ) -> Step {
        let failure = Failure::new("BLOCK_OVERDUE", "nobody created the block in time");
        match state {
            OnboardingState::Qualified => self.fail(failure, context).into(),
            _ => Transition::stay(Stay::Stale),
        }
    }
}

fn is_blocked(context: &OnboardingContext<'_>) -> bool {
    let status = context.fact(CUSTOMER).and_then(|row| row.get("STATUS"));
    status.and_then(Value::as_text) == Some(BLOCKED)
}

/// An answer cannot overtake its question: something else is wrong, and a person should look.
fn never_asked() -> Step {
    reject("ONBOARDING_UNKNOWN", "nobody asked for a block under this id")
}

fn reject(code: &str, message: &str) -> Step {
    Transition::reject(Failure::new(code, message))
}
