//! What a family hears: how things stand at its source, as of a version.

use serde::Deserialize;

dipmo_api::events! {
    /// The states of topic `families`.
    #[derive(Clone, Debug)]
    pub enum FamilyEvent {
        /// The family itself is new, or another than before.
        FamilyChanged(FamilyChanged) = "FamilyChanged" v1,
        /// Members are.
        MembersChanged(MembersChanged) = "MembersChanged" v1,
        /// Blocks are.
        BlocksChanged(BlocksChanged) = "BlocksChanged" v1,
    }
}

impl FamilyEvent {
    pub(crate) fn family_id(&self) -> &str {
        match self {
            Self::FamilyChanged(changed) => &changed.family_id,
            Self::MembersChanged(changed) => &changed.family_id,
            Self::BlocksChanged(changed) => &changed.family_id,
        }
    }
}

/// A family as it stands.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FamilyChanged {
    /// Which.
    pub family_id: String,
    /// The version of the source.
    pub version: i64,
    /// Its name.
    pub name: String,
    /// How far it has come, in the words of Salesforce.
    pub status: String,
}

/// Some members of a family as they stand.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MembersChanged {
    /// Whose.
    pub family_id: String,
    /// The version of the source.
    pub version: i64,
    /// Those that changed.
    pub members: Vec<Member>,
}

/// A member.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// Which.
    pub id: String,
    /// The first name.
    pub first_name: Option<String>,
    /// The last name. Salesforce wants one; the source does not always have it.
    pub last_name: Option<String>,
    /// Where mail goes.
    pub email: Option<String>,
}

/// Some blocks on a family as they stand.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlocksChanged {
    /// On which.
    pub family_id: String,
    /// The version of the source.
    pub version: i64,
    /// Those that changed.
    pub blocks: Vec<Block>,
}

/// A block.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// Which.
    pub id: String,
    /// What kind, such as `RISK`.
    #[serde(rename = "type")]
    pub block_type: String,
    /// Why.
    pub reason: Option<String>,
    /// Whether it is in force.
    #[serde(default = "in_force")]
    pub active: bool,
}

const fn in_force() -> bool {
    true
}
