//! The families of the API: what faults, latencies and counters are told apart by.

use serde::Serialize;

use crate::data::request::Method;

/// A family of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Api {
    Oauth,
    Versions,
    Limits,
    Describe,
    Sobject,
    Collections,
    Composite,
    Graph,
    Query,
    BulkCreate,
    BulkUpload,
    BulkClose,
    BulkPoll,
    BulkResults,
    BulkDelete,
    Other,
}

impl Api {
    pub(crate) const ALL: [Api; 16] = [
        Api::Oauth,
        Api::Versions,
        Api::Limits,
        Api::Describe,
        Api::Sobject,
        Api::Collections,
        Api::Composite,
        Api::Graph,
        Api::Query,
        Api::BulkCreate,
        Api::BulkUpload,
        Api::BulkClose,
        Api::BulkPoll,
        Api::BulkResults,
        Api::BulkDelete,
        Api::Other,
    ];

    /// As rules, schemas and counters name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Api::Oauth => "oauth",
            Api::Versions => "versions",
            Api::Limits => "limits",
            Api::Describe => "describe",
            Api::Sobject => "sobject",
            Api::Collections => "collections",
            Api::Composite => "composite",
            Api::Graph => "graph",
            Api::Query => "query",
            Api::BulkCreate => "bulk.create",
            Api::BulkUpload => "bulk.upload",
            Api::BulkClose => "bulk.close",
            Api::BulkPoll => "bulk.poll",
            Api::BulkResults => "bulk.results",
            Api::BulkDelete => "bulk.delete",
            Api::Other => "other",
        }
    }

    /// Whether a name means this family: its own, `bulk` for all of bulk, `rest` for all other
    /// calls with data.
    pub(crate) fn is_called(self, name: &str) -> bool {
        let bulk = self.name().starts_with("bulk.");
        match name {
            "bulk" => bulk,
            "rest" => !bulk && !matches!(self, Api::Oauth | Api::Versions | Api::Other),
            name => self.name() == name,
        }
    }

    /// Whether any family has this name.
    pub(crate) fn is_known(name: &str) -> bool {
        Api::ALL.into_iter().any(|api| api.is_called(name))
    }

    /// The family of a call by the segments after `/services/data/vXX.X/`.
    pub(crate) fn of(method: Method, path: &[String]) -> Api {
        let lower: Vec<String> = path.iter().map(|word| word.to_ascii_lowercase()).collect();
        let words: Vec<&str> = lower.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["limits"] => Api::Limits,
            ["sobjects"] | ["sobjects", _, "describe"] => Api::Describe,
            ["sobjects", _] if method == Method::Get => Api::Describe,
            ["sobjects", ..] => Api::Sobject,
            ["composite", "sobjects", ..] => Api::Collections,
            ["composite", "graph"] => Api::Graph,
            ["composite", ..] => Api::Composite,
            ["query" | "queryall", ..] => Api::Query,
            ["jobs", _] if method == Method::Post => Api::BulkCreate,
            ["jobs", _] => Api::BulkPoll,
            ["jobs", _, _] if method == Method::Delete => Api::BulkDelete,
            ["jobs", _, _] if method == Method::Patch => Api::BulkClose,
            ["jobs", _, _] => Api::BulkPoll,
            ["jobs", _, _, "batches"] => Api::BulkUpload,
            ["jobs", ..] => Api::BulkResults,
            _ => Api::Other,
        }
    }
}

impl Serialize for Api {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The object that a path names, if it does.
pub(crate) fn object_of(path: &[String]) -> Option<&str> {
    let at = |index: usize, word: &str| {
        path.get(index).is_some_and(|segment| segment.eq_ignore_ascii_case(word))
    };
    if at(0, "sobjects") {
        path.get(1).map(String::as_str)
    } else if at(0, "composite") && (at(1, "sobjects") || at(1, "tree")) {
        path.get(2).map(String::as_str)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_belongs_to_a_family() {
        for (method, path, api, object) in [
            (Method::Get, "limits", Api::Limits, None),
            (Method::Get, "sobjects", Api::Describe, None),
            (Method::Get, "sobjects/Contact/describe", Api::Describe, Some("Contact")),
            (Method::Post, "sobjects/Contact", Api::Sobject, Some("Contact")),
            (Method::Patch, "sobjects/Contact/E__c/1", Api::Sobject, Some("Contact")),
            (Method::Patch, "composite/sobjects/X/E__c", Api::Collections, Some("X")),
            (Method::Post, "composite", Api::Composite, None),
            (Method::Post, "composite/graph", Api::Graph, None),
            (Method::Get, "queryAll", Api::Query, None),
            (Method::Post, "jobs/ingest", Api::BulkCreate, None),
            (Method::Get, "jobs/ingest", Api::BulkPoll, None),
            (Method::Put, "jobs/ingest/750/batches", Api::BulkUpload, None),
            (Method::Patch, "jobs/ingest/750", Api::BulkClose, None),
            (Method::Get, "jobs/ingest/750", Api::BulkPoll, None),
            (Method::Get, "jobs/ingest/750/unprocessedRecords", Api::BulkResults, None),
            (Method::Delete, "jobs/ingest/750", Api::BulkDelete, None),
            (Method::Get, "tooling", Api::Other, None),
        ] {
            let segments: Vec<String> = path.split('/').map(str::to_owned).collect();
            assert_eq!((Api::of(method, &segments), object_of(&segments)), (api, object), "{path}");
        }
    }

    #[test]
    fn names_of_groups_mean_several_families() {
        assert!(Api::BulkPoll.is_called("bulk") && Api::BulkPoll.is_called("bulk.poll"));
        assert!(!Api::BulkPoll.is_called("rest") && Api::Query.is_called("rest"));
        assert!(!Api::is_known("bulk.pole"));
    }
}
