//! What an onboarding hears.

use serde::Deserialize;

dipmo_api::events! {
    /// The request, the answers of the module that creates blocks, and the timer of the wait.
    #[derive(Clone, Debug)]
    pub enum OnboardingEvent {
        /// Somebody wants to become a customer.
        OnboardingRequested(OnboardingRequested) = "OnboardingRequested" v1,
        /// The block is there.
        BlockCreated(BlockCreated) = "BlockCreated" v1,
        /// There will be no block.
        BlockRefused(BlockRefused) = "BlockRefused" v1,
        /// No answer came in time: a timer.
        BlockOverdue = "BlockOverdue" v1,
    }
}

/// A request to become a customer.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingRequested {
    /// Who.
    pub customer_id: String,
    /// The name of the customer.
    pub name: String,
    /// Whether all papers were handed in; without them nobody qualifies.
    pub papers_complete: bool,
}

/// An answer to `BlockRequested`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockCreated {
    /// The onboarding that asked.
    pub onboarding_id: String,
}

/// The other answer to `BlockRequested`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockRefused {
    /// The onboarding that asked.
    pub onboarding_id: String,
    /// Why there is none.
    pub reason: String,
}
