//! `composite/graph`: graphs of subrequests, each of which is applied as a whole or not at all.

use std::collections::{HashMap, HashSet};

use serde_json::{Value as Json, json};

use super::body;
use super::execute::{Mode, Rules, halt, run};
use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::{Subrequest, read};
use super::url::Target;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

/// Graphs exist from this version on.
const SINCE: u32 = 500;
const MAX_GRAPHS: usize = 75;
/// In all graphs of a request together.
const MAX_NODES: usize = 500;
/// Nodes differ if their version, their method or their object does.
const MAX_DIFFERENT_NODES: usize = 15;
const MAX_DEPTH: usize = 15;
/// After these the other graphs are not tried.
const MAX_FAILURES: usize = 14;

struct Graph<'a> {
    id: &'a str,
    nodes: Vec<Subrequest<'a>>,
}

/// Runs the graphs in order; a graph that fails does not concern the others.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    if request.version < SINCE {
        return Refusal::not_found().into();
    }
    if request.method != Method::Post {
        return request.method_not_allowed("POST").into();
    }
    match graphs(request).and_then(|graphs| check_limits(&graphs).map(|()| graphs)) {
        Ok(graphs) => DataAnswer::json(200, json!({ "graphs": run_all(tx, request, &graphs) })),
        Err(refusal) => refusal.into(),
    }
}

fn run_all(tx: &mut Transaction<'_>, request: &DataRequest<'_>, graphs: &[Graph<'_>]) -> Vec<Json> {
    let rules = Rules { mode: Mode::AllOrNone, version: request.version, allows };
    let mut failures = 0;
    let mut answers = Vec::with_capacity(graphs.len());
    for graph in graphs {
        let (items, successful) = if failures > MAX_FAILURES {
            (halt(&graph.nodes), false)
        } else {
            let order: Vec<usize> = (0..graph.nodes.len()).collect();
            run(tx, &graph.nodes, &order, rules)
        };
        failures += usize::from(!successful);
        answers.push(json!({
            "graphId": graph.id,
            "graphResponse": { "compositeResponse": items },
            "isSuccessful": successful,
        }));
    }
    answers
}

fn graphs<'a>(request: &DataRequest<'a>) -> Result<Vec<Graph<'a>>, Refusal> {
    let members = body::object(request)?;
    body::only(members, &["graphs"])?;
    let list = body::list(members, "graphs")?;
    list.iter()
        .map(|json| {
            let Json::Object(members) = json else { return Err(body::unfit("object", json)) };
            body::only(members, &["graphId", "compositeRequest"])?;
            let id = body::text(members, "graphId")?;
            Ok(Graph { id, nodes: read(members, request.version)? })
        })
        .collect()
}

fn check_limits(graphs: &[Graph<'_>]) -> Result<(), Refusal> {
    let within = |number: usize, limit: usize, what: &str| {
        if number <= limit { Ok(()) } else { Err(Refusal::too_many(limit, what)) }
    };
    within(graphs.len(), MAX_GRAPHS, "graphs")?;
    let nodes = || graphs.iter().flat_map(|graph| &graph.nodes);
    within(nodes().count(), MAX_NODES, "nodes")?;
    let different: HashSet<_> = nodes().filter_map(sort_of).collect();
    within(different.len(), MAX_DIFFERENT_NODES, "different nodes")?;
    let mut seen = HashSet::new();
    for graph in graphs {
        within(depth(graph), MAX_DEPTH, "levels in a graph")?;
        if !graph.id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            let words =
                format!("Provided graphId ('{}') must start with a letter or a number.", graph.id);
            return Err(Refusal::new("JSON_PARSER_ERROR", words));
        }
        if !seen.insert(graph.id) {
            let words = "Duplicate graphId provided in the request.";
            return Err(Refusal::new("JSON_PARSER_ERROR", words));
        }
    }
    Ok(())
}

fn sort_of(node: &Subrequest<'_>) -> Option<(u32, &'static str, String)> {
    let target = node.target.as_ref()?;
    Some((target.version, node.method.name(), target.path.get(1)?.to_ascii_lowercase()))
}

/// The length of the longest chain of nodes that refer to each other.
fn depth(graph: &Graph<'_>) -> usize {
    let mut depths: HashMap<&str, usize> = HashMap::new();
    for node in &graph.nodes {
        let names = node.names();
        let below = names.iter().filter_map(|name| depths.get(name)).max();
        let depth = below.copied().unwrap_or(0) + 1;
        depths.insert(node.reference, depth);
    }
    depths.into_values().max().unwrap_or(0)
}

/// Single records only: by object, by id and by external id.
fn allows(method: Method, target: &Target) -> bool {
    let path: Vec<&str> = target.path.iter().map(String::as_str).collect();
    match (path.as_slice(), method) {
        ([sobjects, rest @ ..], method) if sobjects.eq_ignore_ascii_case("sobjects") => {
            let changes = matches!(method, Method::Get | Method::Patch | Method::Delete);
            match rest {
                [_] => method == Method::Post,
                [_, id] => changes && !id.eq_ignore_ascii_case("describe"),
                [_, _, _] => changes || method == Method::Post,
                _ => false,
            }
        }
        _ => false,
    }
}
