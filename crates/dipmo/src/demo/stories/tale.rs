//! A family as its source tells of it, and what must come of that at Salesforce: by the tables in
//! `docs/processes/family.md` and `docs/processes/delivery.md`.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::author::Author;
use super::story::{DONE, Story};
use crate::demo::book::{DeliveryPromise, Expected, Fate, RecordPromise};
use crate::demo::topics::FAMILIES;

/// So many blocks fit into one event.
const BLOCKS_AN_EVENT: usize = 200;

/// The story of a family while it is told.
pub(super) struct Tale {
    pub(super) story: Story,
    /// When the next event is sent, in milliseconds.
    pub(super) now: u64,
    /// The newest version that was told of each record.
    versions: HashMap<String, i64>,
}

/// A member or a block.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) id: String,
    /// What Salesforce will refuse it with.
    pub(super) refused: Option<&'static str>,
}

/// What children become.
pub(super) struct Kind {
    object: &'static str,
    destination: &'static str,
    requested: &'static str,
    changed: &'static str,
    list: &'static str,
}

pub(super) const MEMBERS: Kind = Kind {
    object: "Contact",
    destination: "HTTP:SFDC:Auto:Contact",
    requested: "MembersUpsertRequested",
    changed: "MembersChanged",
    list: "members",
};

pub(super) const BLOCKS: Kind = Kind {
    object: "Block__c",
    destination: "HTTP:SFDC:BulkV2:Block__c",
    requested: "BlocksUpsertRequested",
    changed: "BlocksChanged",
    list: "blocks",
};

impl Tale {
    pub(super) fn new(author: &mut Author, plot: &'static str) -> Self {
        let family = author.external_id("F");
        let story = Story::new(plot, "FAMILY", family, FAMILIES);
        let mut tale = Self { story, now: 0, versions: HashMap::new() };
        tale.story.ending().state = Some("AWAITED");
        tale
    }

    pub(super) fn id(&self) -> String {
        self.story.promise.aggregate.clone()
    }

    /// The family is new or another; it is sent.
    pub(super) fn family(&mut self, version: i64, status: &str) {
        self.family_again(version, status, DONE);
        let id = self.id();
        self.promise("Family__c", &id, version, None);
        let payload = json!({ "asOfVersion": version });
        let destination = "HTTP:SFDC:Collections:Family__c";
        self.expect(destination, "FamilyUpsertRequested", &payload, &[&id]);
        self.story.ending().state = Some("KNOWN");
    }

    /// The family is told of, and nothing is sent.
    pub(super) fn family_again(&mut self, version: i64, status: &str, fate: Fate) {
        let state =
            json!({ "familyId": self.id(), "version": version, "name": "Doe", "status": status });
        self.story.tell(self.now, "FamilyChanged", None, &state, fate);
    }

    /// Children that are new: they wait to be announced.
    pub(super) fn born(&mut self, kind: &Kind, version: i64, children: &[Child]) {
        for some in children.chunks(BLOCKS_AN_EVENT) {
            self.told(kind, version, some, DONE);
        }
        for child in children {
            self.versions.insert(child.id.clone(), version);
        }
    }

    /// Children that are known are another now: they are sent.
    pub(super) fn changed(&mut self, kind: &Kind, version: i64, children: &[Child]) {
        self.told(kind, version, children, DONE);
        for child in children {
            self.versions.insert(child.id.clone(), version);
            self.promise(kind.object, &child.id, version, child.refused);
        }
        let payload = json!({ "familyId": self.id(), "asOfVersion": version });
        self.expect(kind.destination, kind.requested, &payload, &ids(children));
    }

    /// Children are told of, and nothing is sent.
    pub(super) fn told(&mut self, kind: &Kind, version: i64, children: &[Child], fate: Fate) {
        let states: Vec<Value> = children.iter().map(Child::state).collect();
        let state = json!({ "familyId": self.id(), "version": version, kind.list: states });
        self.story.tell(self.now, kind.changed, None, &state, fate);
    }

    /// MembersCreated: they are sent, and the answer for all ends it.
    pub(super) fn announce(&mut self, members: &[Child], as_of: i64) {
        self.announce_as(&announcement(&self.id(), members, as_of), members, as_of);
    }

    /// The same, as the source wrote it before it told versions.
    pub(super) fn announce_in_version_1(&mut self, members: &[Child]) {
        let created = json!({ "familyId": self.id(), "memberIds": ids(members) });
        self.announce_as(&created, members, 0);
    }

    fn announce_as(&mut self, created: &Value, members: &[Child], as_of: i64) {
        self.story.tell(self.now, "MembersCreated", None, created, DONE);
        let payload = json!({ "familyId": self.id(), "asOfVersion": as_of });
        let instance = format!("{}@{as_of}:{}", self.id(), members[0].id);
        self.request(&MEMBERS, members, &payload, ("MEMBERS_CREATED", instance));
    }

    /// BlocksToCreate.
    pub(super) fn order(&mut self, blocks: &[Child]) {
        let order = json!({
            "type": "BlocksToCreate", "familyId": self.id(), "blockType": "RISK",
            "blockIds": ids(blocks), "eventVersion": 1,
        });
        self.story.tell(self.now, "BlocksToCreate", None, &order, DONE);
        let payload = json!({ "familyId": self.id(), "blockType": "RISK" });
        let instance = format!("{}:RISK:{}", self.id(), blocks[0].id);
        self.request(&BLOCKS, blocks, &payload, ("BLOCKS_TO_CREATE", instance));
    }

    fn request(
        &mut self,
        kind: &Kind,
        children: &[Child],
        payload: &Value,
        (process, id): (&'static str, String),
    ) {
        self.expect(kind.destination, kind.requested, payload, &ids(children));
        for child in children {
            let version = self.versions.get(&child.id).copied().unwrap_or_default();
            self.promise(kind.object, &child.id, version, child.refused);
        }
        let (failed, fine): (Vec<&Child>, Vec<_>) =
            children.iter().partition(|child| child.refused.is_some());
        let failed = failed.iter().map(|child| child.id.clone()).collect();
        let delivered = fine.len() as u64;
        self.story.ending().deliveries.push(DeliveryPromise { process, id, delivered, failed });
    }

    fn promise(
        &mut self,
        object: &'static str,
        key: &str,
        version: i64,
        refused: Option<&'static str>,
    ) {
        let records = &mut self.story.ending().records;
        match records.iter_mut().find(|it| it.object == object && it.key == key) {
            Some(promised) => promised.version = version,
            None => records.push(RecordPromise { object, key: key.to_owned(), version, refused }),
        }
    }

    fn expect(&mut self, destination: &'static str, event: &str, payload: &Value, keys: &[&str]) {
        let expected = Expected::of_records(destination, event, payload, keys);
        self.story.ending().effects.push(expected);
    }
}

impl Child {
    /// So many, none of which is in another story.
    pub(super) fn new(author: &mut Author, kind: &str, count: u64) -> Vec<Self> {
        let mother = author.external_id(kind);
        let child = |number| Self { id: format!("{mother}-{number}"), refused: None };
        (1..=count).map(child).collect()
    }

    /// As its source knows it; the fields of members and blocks together, of which each reads its own.
    fn state(&self) -> Value {
        let mut state = json!({
            "id": self.id, "firstName": "Jane", "lastName": "Doe", "email": "jane@example.com",
            "type": "RISK", "reason": "a hit",
        });
        match self.refused {
            Some("REQUIRED_FIELD_MISSING") => state["lastName"] = Value::Null,
            Some("STRING_TOO_LONG") => state["firstName"] = json!("Jane".repeat(20)),
            Some(_) => state["type"] = json!("ODD"),
            None => {}
        }
        state
    }
}

/// MembersCreated, as the seeds have it.
pub(super) fn announcement(family: &str, members: &[Child], as_of: i64) -> Value {
    json!({
        "type": "MembersCreated", "familyId": family, "memberIds": ids(members),
        "asOfVersion": as_of, "eventVersion": 2,
    })
}

fn ids(children: &[Child]) -> Vec<&str> {
    children.iter().map(|child| child.id.as_str()).collect()
}
