//! The states of a hit, with the edges of the seeds.

dipmo_api::states! {
    /// How far a hit has come.
    pub enum HitState {
        /// A notification came.
        Received = "RECEIVED",
        /// The hit is in HITS and waits for its assessment.
        HitCreated = "HIT_CREATED",
        /// Assessed as real; the review starts in the same step.
        QualifiedPositive = "QUALIFIED_POSITIVE",
        /// Assessed as harmless; it is closed in the same step.
        QualifiedNegative = "QUALIFIED_NEGATIVE",
        /// A person looks at it.
        ReviewStarted = "REVIEW_STARTED",
        /// Nothing is left to do.
        Completed = "COMPLETED",
        /// Aborted, or not reviewed in time. The check of the seeds forgot this one.
        Failed = "FAILED",
    }
    initial Received;
    Received => HitCreated: "createHit()";
    HitCreated => QualifiedPositive: "qualifyHit(positive)";
    HitCreated => QualifiedNegative: "qualifyHit(negative)";
    QualifiedPositive => ReviewStarted: "startReview()";
    QualifiedNegative => Completed;
    ReviewStarted => Completed: "reviewCompleted()";
    Received => Failed;
    HitCreated => Failed;
    QualifiedPositive => Failed;
    ReviewStarted => Failed;
}
