//! What `Auto` chooses, and why.
//!
//! Jobs are for many records that may take a while, and cost few calls. Everything else is sent in
//! slices: a record alone by itself, several together, a parent with its children as a graph.

use std::time::Duration;

use dipmo_domain::SalesforceApi;
use dipmo_outbox::JobPlan;
use dipmo_salesforce::{ApiUsage, MAX_GRAPH_NODES};

use crate::bulk::BulkOptions;
use crate::options::AutoOptions;

/// What a job takes at least, even a small one: queue, batch, polling.
const JOB_TIME: Duration = Duration::from_secs(60);

/// What calls of 200 records bring to Salesforce in a second, with eight of them under way.
const RECORDS_A_SECOND: u32 = 1_500;

/// From so many records on a job of six calls and some polling costs fewer calls than Collections.
const CHEAPER_AS_JOB: u32 = 2_000;

/// An API, and why it was chosen: a label of figures and a field of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) api: SalesforceApi,
    pub(crate) reason: &'static str,
}

/// What there is to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// How many records are to be upserted.
    pub(crate) records: usize,
    /// How many records the largest of them is with its children, where there are children.
    pub(crate) largest_family: Option<usize>,
}

/// How a slice is sent.
pub(crate) fn slice(waiting: Waiting) -> Choice {
    match waiting.largest_family {
        Some(records) if records > MAX_GRAPH_NODES => {
            Choice { api: SalesforceApi::Composite, reason: "family-larger-than-a-graph" }
        }
        Some(_) => Choice { api: SalesforceApi::Graph, reason: "parents-with-children" },
        None if waiting.records <= 1 => Choice { api: SalesforceApi::Rest, reason: "one-record" },
        None => Choice { api: SalesforceApi::Collections, reason: "several-records" },
    }
}

/// When jobs are made, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JobChoice {
    pub(crate) plan: JobPlan,
    pub(crate) reason: &'static str,
}

/// When jobs are made of what waits.
pub(crate) fn jobs(auto: &AutoOptions, bulk: &BulkOptions, usage: Option<ApiUsage>) -> JobChoice {
    let plan = bulk.plan();
    if is_scarce(auto, usage) {
        let least = plan.least.min(CHEAPER_AS_JOB);
        return JobChoice { plan: JobPlan { least, ..plan }, reason: "few-calls-left" };
    }
    // Whoever may go out in a slice does not wait for others to make a job with.
    let plan = JobPlan { gather: Duration::ZERO, ..plan };
    if auto.latency < JOB_TIME {
        // As many as would not be there in time otherwise.
        let seconds = u32::try_from(auto.latency.as_secs()).unwrap_or(u32::MAX).max(1);
        let least = plan.least.max(seconds.saturating_mul(RECORDS_A_SECOND));
        return JobChoice { plan: JobPlan { least, ..plan }, reason: "more-than-calls-could-send" };
    }
    JobChoice { plan, reason: "many-records" }
}

/// Whether calls are to be saved.
fn is_scarce(auto: &AutoOptions, usage: Option<ApiUsage>) -> bool {
    usage.is_some_and(|usage| {
        let left = usage.max.saturating_sub(usage.used);
        #[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
        let scarce = (left as f64) < (usage.max as f64) * auto.scarce;
        scarce
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_sent_by_what_is_in_it() {
        for (records, largest_family, api, reason) in [
            (1, None, SalesforceApi::Rest, "one-record"),
            (2, None, SalesforceApi::Collections, "several-records"),
            (2_000, None, SalesforceApi::Collections, "several-records"),
            (1, Some(3), SalesforceApi::Graph, "parents-with-children"),
            (9, Some(501), SalesforceApi::Composite, "family-larger-than-a-graph"),
        ] {
            let choice = slice(Waiting { records, largest_family });
            assert_eq!(choice, Choice { api, reason });
        }
    }

    #[test]
    fn jobs_wait_for_many_for_more_who_wants_it_soon_and_for_fewer_who_has_few_calls() {
        let bulk = BulkOptions { least: 5_000, ..BulkOptions::default() };
        let choose = |latency, used| {
            let auto = AutoOptions { latency: Duration::from_secs(latency), scarce: 0.4 };
            let choice = jobs(&auto, &bulk, Some(ApiUsage { used, max: 1_000 }));
            (choice.plan.least, choice.plan.gather, choice.reason)
        };
        let at_once = Duration::ZERO;
        assert_eq!(choose(60, 0), (5_000, at_once, "many-records"));
        assert_eq!(choose(600, 600), (5_000, at_once, "many-records"));
        assert_eq!(choose(10, 0), (15_000, at_once, "more-than-calls-could-send"));
        assert_eq!(choose(10, 601), (2_000, bulk.gather, "few-calls-left"));
        assert_eq!(jobs(&AutoOptions::default(), &bulk, None).reason, "many-records");
    }
}
