//! Families with members and blocks, for a Salesforce that fails, and the book of what must come of
//! them.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_domain::Json;
use dipmo_inbox::{Identity, NewMessage, Record};
use serde_json::{Value, json};

/// Members and blocks of each family.
const MEMBERS: usize = 100;
const BLOCKS: usize = 24;

/// One member in so many has no last name, which Salesforce wants.
const NAMELESS: usize = 250;

/// What was told, and how each record must end.
#[derive(Default)]
pub(crate) struct Families {
    /// The newest version of each record that Salesforce can take, by object and external id.
    pub(crate) newest: BTreeMap<&'static str, BTreeMap<String, i64>>,
    /// The members that Salesforce refuses.
    pub(crate) refused: BTreeSet<String>,
    told: usize,
}

impl Families {
    /// So many families come up: everything about them is told once.
    pub(crate) fn come_up(&mut self, families: std::ops::Range<usize>) -> Vec<NewMessage> {
        families.flat_map(|number| self.comes_up(number)).collect()
    }

    /// Some of what a family has changes: everything in it that can, at this version.
    pub(crate) fn change(&mut self, family: usize, version: i64) -> Vec<NewMessage> {
        let members: Vec<String> = (0..MEMBERS).map(|at| member(family, at)).collect();
        let changed = members.into_iter().filter(|id| !self.refused.contains(id)).step_by(3);
        let changed: Vec<String> = changed.collect();
        let blocks: Vec<String> = (0..BLOCKS).step_by(2).map(|at| block(family, at)).collect();
        vec![
            self.family_changed(family, version),
            self.members_changed(family, version, &changed),
            self.blocks_changed(family, version, &blocks),
        ]
    }

    /// How many records there are in all.
    pub(crate) fn len(&self) -> usize {
        self.newest.values().map(BTreeMap::len).sum::<usize>() + self.refused.len()
    }

    fn comes_up(&mut self, family: usize) -> Vec<NewMessage> {
        let members: Vec<String> = (0..MEMBERS).map(|at| member(family, at)).collect();
        let blocks: Vec<String> = (0..BLOCKS).map(|at| block(family, at)).collect();
        let nameless = (0..MEMBERS).filter(|at| (family * MEMBERS + at) % NAMELESS == 7);
        self.refused.extend(nameless.map(|at| member(family, at)));
        vec![
            self.family_changed(family, 1),
            self.members_changed(family, 1, &members),
            self.tell(
                family,
                "MembersCreated",
                2,
                json!({ "memberIds": members, "asOfVersion": 1 }),
            ),
            self.blocks_changed(family, 1, &blocks),
            self.tell(
                family,
                "BlocksToCreate",
                1,
                json!({ "blockType": "RISK", "blockIds": blocks }),
            ),
        ]
    }

    fn family_changed(&mut self, family: usize, version: i64) -> NewMessage {
        self.book("Family__c", &[id(family)], version);
        let state = json!({ "version": version, "name": id(family), "status": "Qualified" });
        self.tell(family, "FamilyChanged", 1, state)
    }

    fn members_changed(&mut self, family: usize, version: i64, ids: &[String]) -> NewMessage {
        self.book("Contact", ids, version);
        let one = |id: &String| {
            let last = (!self.refused.contains(id)).then_some(id);
            json!({ "id": id, "firstName": "Ada", "lastName": last, "email": format!("{id}@example.com") })
        };
        let members: Vec<Value> = ids.iter().map(one).collect();
        self.tell(family, "MembersChanged", 1, json!({ "version": version, "members": members }))
    }

    fn blocks_changed(&mut self, family: usize, version: i64, ids: &[String]) -> NewMessage {
        self.book("Block__c", ids, version);
        let one =
            |id: &String| json!({ "id": id, "type": "RISK", "reason": format!("v{version}") });
        let blocks: Vec<Value> = ids.iter().map(one).collect();
        self.tell(family, "BlocksChanged", 1, json!({ "version": version, "blocks": blocks }))
    }

    fn book(&mut self, object: &'static str, ids: &[String], version: i64) {
        let accepted = ids.iter().filter(|id| !self.refused.contains(*id));
        let book = self.newest.entry(object).or_default();
        book.extend(accepted.map(|id| (id.clone(), version)));
    }

    /// An event of a family, in the order of this call.
    fn tell(&mut self, family: usize, event: &str, version: u16, mut body: Value) -> NewMessage {
        body["familyId"] = json!(id(family));
        self.told += 1;
        let payload = Json::of(&body).unwrap();
        let record = Record {
            topic: members::TOPIC.to_owned(),
            offset: i64::try_from(self.told).unwrap(),
            timestamp_millis: -1,
            value: Some(payload.as_str().as_bytes().to_vec()),
            ..Record::default()
        };
        let identity = Identity {
            source_system: "fire".to_owned(),
            message_id: Some(format!("families/{}", self.told)),
            aggregate_id: Some(id(family)),
            event_type: Some(event.to_owned()),
            event_version: Some(version),
            source_version: None,
            event_ts: None,
        };
        NewMessage::decoded(&record, &identity, payload)
    }
}

fn id(family: usize) -> String {
    format!("F-{family}")
}

fn member(family: usize, at: usize) -> String {
    format!("M-{family}-{at}")
}

fn block(family: usize, at: usize) -> String {
    format!("B-{family}-{at}")
}
