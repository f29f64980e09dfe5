//! Records a second by each API that needs no job, and by `Auto`, which may make some.

use anyhow::Result;
use dipmo_domain::SalesforceApi;

use super::Args;
use super::delivery::{Delivered, measure};
use crate::report::{Row, median};

/// An API, what its figures are called, and which part of the contacts it gets.
struct Way {
    api: SalesforceApi,
    rate: &'static str,
    calls: Option<&'static str>,
    part: u32,
}

/// A call for each record takes its time: Rest gets a tenth of the contacts.
const WAYS: [Way; 5] = [
    Way { api: SalesforceApi::Rest, rate: "salesforce.rest", calls: None, part: 10 },
    Way {
        api: SalesforceApi::Collections,
        rate: "salesforce.collections",
        calls: Some("salesforce.collections_calls_per_1000"),
        part: 1,
    },
    Way { api: SalesforceApi::Composite, rate: "salesforce.composite", calls: None, part: 1 },
    Way { api: SalesforceApi::Graph, rate: "salesforce.graph", calls: None, part: 1 },
    Way {
        api: SalesforceApi::Auto,
        rate: "salesforce.auto",
        calls: Some("salesforce.auto_calls_per_1000"),
        part: 1,
    },
];

/// The figures of all of them.
pub(super) async fn rates(args: &Args) -> Result<Vec<Row>> {
    let mut rounds: Vec<[(f64, f64); WAYS.len()]> = Vec::new();
    for number in 1..=args.rounds {
        let mut round = [(0.0, 0.0); WAYS.len()];
        for (way, figures) in WAYS.iter().zip(&mut round) {
            let contacts = args.records.div_ceil(way.part);
            let Delivered { time, calls } = measure(&args.postgres, way.api, contacts).await?;
            let rate = f64::from(contacts) / time.as_secs_f64();
            *figures = (rate, f64::from(calls.all) * 1_000.0 / f64::from(contacts));
            eprintln!(
                "round {number} of {}: {} {rate:.0}/s, {} calls, {} jobs",
                args.rounds, way.api, calls.all, calls.jobs
            );
        }
        rounds.push(round);
    }
    let mut rows = Vec::new();
    for (place, way) in WAYS.iter().enumerate() {
        let of = |figure: fn((f64, f64)) -> f64| {
            median(&rounds.iter().map(|round| figure(round[place])).collect::<Vec<_>>())
        };
        rows.push(Row::plain(way.rate, of(|(rate, _)| rate), "rec/s"));
        rows.extend(way.calls.map(|metric| Row::plain(metric, of(|(_, calls)| calls), "calls")));
    }
    Ok(rows)
}
