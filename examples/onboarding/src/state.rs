//! The states of an onboarding, with the edges of the seeds and no others.

dipmo_api::states! {
    /// How far an onboarding has come.
    pub enum OnboardingState {
        /// A request came.
        Received = "RECEIVED",
        /// The customer may be served; the block is being created.
        Qualified = "QUALIFIED",
        /// The block is there; the onboarding completes in the same step.
        BlockCreated = "BLOCK_CREATED",
        /// Nothing is left to do.
        Completed = "COMPLETED",
        /// Not qualified, or no block could be had.
        Failed = "FAILED",
    }
    initial Received;
    Received => Qualified: "qualifyCustomer()";
    Qualified => BlockCreated: "createBlock()";
    BlockCreated => Completed;
    Received => Failed;
    Qualified => Failed;
}
