//! The process itself, and its decisions: what is not newer than what is known changes nothing.

use std::sync::Arc;

use dipmo_api::{
    Context, Description, DomainWrite, FactRequest, MessageView, Process, Stay, Transition,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::changes::Changes;
use super::{
    Block, BlocksChanged, FamilyChanged, FamilyEvent, FamilyState, Member, MembersChanged,
};
use crate::{TOPIC, Tables, salesforce};

/// Keeps FAMILIES, MEMBERS and BLOCKS, and sends what changes of records that are known already.
/// New members and blocks are sent when they are announced.
pub struct FamilyProcess {
    tables: Tables,
}

/// What a family remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FamilyData {
    /// The version of its last change, once it is known itself.
    pub version: Option<i64>,
}

pub(super) type Step = Transition<FamilyState, FamilyData>;
pub(super) type FamilyContext<'a> = Context<'a, FamilyData>;

/// The facts that tell which members and blocks are known, and as of which version.
const MEMBER: &str = "member";
const BLOCK: &str = "block";

impl FamilyProcess {
    /// On these tables.
    #[must_use]
    pub const fn new(tables: Tables) -> Self {
        Self { tables }
    }

    /// familyChanged().
    fn family(&self, changed: &FamilyChanged, context: &FamilyContext<'_>) -> Step {
        if let Some(known) = context.data().version
            && changed.version <= known
        {
            let same = changed.version == known;
            return Transition::stay(if same { Stay::Duplicate } else { Stay::Stale });
        }
        let FamilyChanged { family_id, version, name, status } = changed;
        let row = DomainWrite::upsert(Arc::clone(&self.tables.families))
            .set("ID", family_id.as_str())
            .set("NAME", name.as_str())
            .set("STATUS", status.as_str())
            .set("VERSION", *version);
        let payload = json!({ "asOfVersion": version });
        let ids = [family_id.as_str()];
        Transition::advance(FamilyState::Known)
            .data(FamilyData { version: Some(*version) })
            .write(row)
            .effect(salesforce::upsert(salesforce::FAMILY, "FamilyUpsertRequested", ids, &payload))
            .into()
    }

    fn members<'a>(&self, changed: &'a MembersChanged) -> Changes<'a> {
        let row = |member: &'a Member| {
            let row = DomainWrite::upsert(Arc::clone(&self.tables.members))
                .set("ID", member.id.as_str())
                .set("FAMILY_ID", changed.family_id.as_str())
                .set("FIRST_NAME", member.first_name.clone())
                .set("LAST_NAME", member.last_name.clone())
                .set("EMAIL", member.email.clone())
                .set("VERSION", changed.version);
            (member.id.as_str(), row)
        };
        let rows = changed.members.iter().map(row).collect();
        Changes { fact: MEMBER, version: changed.version, rows }
    }

    fn blocks<'a>(&self, changed: &'a BlocksChanged) -> Changes<'a> {
        let row = |block: &'a Block| {
            let row = DomainWrite::upsert(Arc::clone(&self.tables.blocks))
                .set("ID", block.id.as_str())
                .set("FAMILY_ID", changed.family_id.as_str())
                .set("BLOCK_TYPE", block.block_type.as_str())
                .set("REASON", block.reason.clone())
                .set("ACTIVE", block.active)
                .set("VERSION", changed.version);
            (block.id.as_str(), row)
        };
        let rows = changed.blocks.iter().map(row).collect();
        Changes { fact: BLOCK, version: changed.version, rows }
    }
}

impl Process for FamilyProcess {
    const NAME: &'static str = "FAMILY";
    type State = FamilyState;
    type Event = FamilyEvent;
    type Data = FamilyData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_FAMILY_STATE")
            .domain_table(&self.tables.families)
            .fact(MEMBER, &self.tables.members, "ID")
            .fact(BLOCK, &self.tables.blocks, "ID")
            .subscribe(TOPIC)
    }

    fn correlate(&self, event: &FamilyEvent, _: &MessageView<'_>) -> Option<String> {
        Some(event.family_id().to_owned())
    }

    fn facts(&self, event: &FamilyEvent, _: &MessageView<'_>) -> Vec<FactRequest> {
        let request = |name, id: &str| FactRequest { name, key: id.into() };
        match event {
            FamilyEvent::FamilyChanged(_) => Vec::new(),
            FamilyEvent::MembersChanged(changed) => {
                changed.members.iter().map(|member| request(MEMBER, &member.id)).collect()
            }
            FamilyEvent::BlocksChanged(changed) => {
                changed.blocks.iter().map(|block| request(BLOCK, &block.id)).collect()
            }
        }
    }

    fn decide(
        &self,
        state: &FamilyState,
        event: &FamilyEvent,
        context: &FamilyContext<'_>,
    ) -> Step {
        match event {
            FamilyEvent::FamilyChanged(changed) => self.family(changed, context),
            FamilyEvent::MembersChanged(changed) => {
                let sent = (salesforce::CONTACT, "MembersUpsertRequested");
                self.members(changed).step(*state, sent, context)
            }
            FamilyEvent::BlocksChanged(changed) => {
                let sent = (salesforce::BLOCK, "BlocksUpsertRequested");
                self.blocks(changed).step(*state, sent, context)
            }
        }
    }
}
