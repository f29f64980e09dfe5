//! The states of a family.

dipmo_api::states! {
    /// What is known of a family.
    pub enum FamilyState {
        /// At most its members and blocks; at Salesforce they wait for it.
        Awaited = "AWAITED",
        /// The family itself.
        Known = "KNOWN",
    }
    initial Awaited;
    Awaited => Awaited: "membersChanged(), blocksChanged()";
    Awaited => Known: "familyChanged()";
    Known => Known: "any change";
}
