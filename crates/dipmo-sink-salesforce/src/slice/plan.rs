//! Which writes go out together, and by what call.

use dipmo_domain::{Destination, SalesforceApi};
use dipmo_salesforce::{
    MAX_COLLECTION_RECORDS, MAX_COMPOSITE_REQUESTS, MAX_GRAPH_NODES, MAX_GRAPHS,
};

use super::chains::Write;
use super::waves::by_parent;
use crate::apis::{Load, MAX_COLLECTIONS, Via, looks_like_reference};
use crate::error::SinkError;
use crate::org::OrgContext;

/// Writes of one call, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) via: Via,
    pub(crate) places: Vec<usize>,
}

/// The calls for some writes.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) batches: Vec<Batch>,
    /// What no call takes.
    pub(crate) unfit: Vec<(usize, SinkError)>,
}

/// What plans are made by.
pub(crate) struct Planner<'a> {
    pub(crate) org: &'a OrgContext,
    pub(crate) destination: &'a Destination,
    /// Never `Auto`.
    pub(crate) api: SalesforceApi,
    pub(crate) writes: &'a [&'a Write],
    /// How often each was tried before.
    pub(crate) attempts: &'a [u32],
}

/// With how many others a write may go out that was tried so often. Whoever fails again and again may
/// be what its calls fail for: it is singled out before its neighbours have run out of attempts.
const fn company(attempts: u32) -> usize {
    match attempts {
        0..=2 => usize::MAX,
        3..=4 => 50,
        5..=6 => 10,
        7..=8 => 3,
        _ => 1,
    }
}

impl Planner<'_> {
    /// Plans calls of at most so many writes for some of them. Records of one parent stand together.
    pub(crate) fn plan(&self, places: &[usize], most: usize) -> Plan {
        let mut plan = Plan::default();
        let mut groups: Vec<((Via, usize), Vec<usize>)> = Vec::new();
        let mut places = places.to_vec();
        places.sort_by_key(|place| self.sort_key(*place));
        let deletes = places.iter().filter(|place| self.is_delete(**place)).count();
        for place in places {
            match self.via(place, deletes) {
                Err(error) => plan.unfit.push((place, error)),
                Ok(via) => {
                    let sort = (via, most.min(company(self.attempts[place])));
                    match groups.iter_mut().find(|(known, _)| *known == sort) {
                        Some((_, group)) => group.push(place),
                        None => groups.push((sort, vec![place])),
                    }
                }
            }
        }
        for ((via, most), group) in groups {
            self.fill(via, group, most, &mut plan.batches);
        }
        plan
    }

    fn sort_key(&self, place: usize) -> (&str, &str) {
        match self.writes[place] {
            Write::Upsert(record) => by_parent(&self.org.mapping, record),
            Write::Delete { key } => ("", key),
        }
    }

    fn is_delete(&self, place: usize) -> bool {
        matches!(self.writes[place], Write::Delete { .. })
    }

    /// By what call a write goes out.
    fn via(&self, place: usize, deletes: usize) -> Result<Via, SinkError> {
        let record = match self.writes[place] {
            Write::Upsert(record) => record,
            Write::Delete { key } => {
                let alone = deletes == 1 || self.api == SalesforceApi::Rest || key.contains("@{");
                return Ok(if alone { Via::Rest } else { Via::Deletes });
            }
        };
        let via = match self.api {
            SalesforceApi::Rest => Via::Rest,
            SalesforceApi::Composite => Via::Composite,
            SalesforceApi::Graph => Via::Graph,
            SalesforceApi::Auto | SalesforceApi::Collections | SalesforceApi::BulkV2 => {
                Via::Collections
            }
        };
        if matches!(via, Via::Rest | Via::Collections) {
            return Ok(via);
        }
        if looks_like_reference(record) {
            return self.without_references(place);
        }
        self.check_size(via, place).map(|()| via)
    }

    /// Composites and graphs put something else in the place of `@{…}`, wherever it stands.
    fn without_references(&self, place: usize) -> Result<Via, SinkError> {
        if self.org.mapping.children.is_empty() {
            return Ok(Via::Collections);
        }
        let key = self.writes[place].key();
        let problem =
            format!("{key:?} or a child has \"@{{\" in a value: Salesforce replaces that");
        Err(SinkError::value_unfit(self.destination, &self.org.mapping.object, problem))
    }

    fn check_size(&self, via: Via, place: usize) -> Result<(), SinkError> {
        let load = Load::of(self.org, self.writes[place]);
        let (fits, api, limit) = match via {
            Via::Graph => (load.records <= MAX_GRAPH_NODES, "Graph", MAX_GRAPH_NODES),
            _ => {
                let limit = 1 + MAX_COLLECTIONS * MAX_COLLECTION_RECORDS;
                (load.collections <= MAX_COLLECTIONS, "Composite", limit)
            }
        };
        if fits {
            return Ok(());
        }
        let destination = Box::new(self.destination.clone());
        let key = self.writes[place].key().to_owned();
        Err(SinkError::UnitTooLarge { destination, key, records: load.records, api, limit })
    }

    /// Fills one call after the other.
    fn fill(&self, via: Via, places: Vec<usize>, most: usize, batches: &mut Vec<Batch>) {
        let mut batch = Batch { via, places: Vec::new() };
        let mut room = Room::of(via, self.org.mapping.children.is_empty(), most);
        for place in places {
            let load = Load::of(self.org, self.writes[place]);
            if !batch.places.is_empty() && !room.has(load) {
                batches.push(std::mem::replace(&mut batch, Batch { via, places: Vec::new() }));
                room = Room::of(via, self.org.mapping.children.is_empty(), most);
            }
            room.take(load);
            batch.places.push(place);
        }
        if !batch.places.is_empty() {
            batches.push(batch);
        }
    }
}

/// What still fits into a call.
struct Room {
    writes: usize,
    load: Load,
}

impl Room {
    fn of(via: Via, childless: bool, most: usize) -> Self {
        const ANY: usize = usize::MAX;
        let (writes, records, requests) = match via {
            Via::Rest => (1, ANY, ANY),
            Via::Collections => (MAX_COLLECTION_RECORDS, ANY, ANY),
            // In collections of a composite.
            Via::Composite if childless => (MAX_COLLECTIONS * MAX_COLLECTION_RECORDS, ANY, ANY),
            Via::Composite => (ANY, ANY, MAX_COMPOSITE_REQUESTS),
            Via::Deletes => (MAX_COMPOSITE_REQUESTS, ANY, ANY),
            Via::Graph => (MAX_GRAPHS, MAX_GRAPH_NODES, ANY),
        };
        let load = Load { records, requests, collections: MAX_COLLECTIONS };
        Self { writes: writes.min(most), load }
    }

    fn has(&self, load: Load) -> bool {
        self.writes > 0
            && load.records <= self.load.records
            && load.requests <= self.load.requests
            && load.collections <= self.load.collections
    }

    fn take(&mut self, load: Load) {
        self.writes = self.writes.saturating_sub(1);
        self.load = Load {
            records: self.load.records.saturating_sub(load.records),
            requests: self.load.requests.saturating_sub(load.requests),
            collections: self.load.collections.saturating_sub(load.collections),
        };
    }
}
