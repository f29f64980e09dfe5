//! Bulk jobs, next to jsforce's upload of the same contacts in the same round.

use anyhow::Result;
use dipmo_domain::SalesforceApi;

use super::delivery::{Delivered, measure};
use super::{Args, jsforce};
use crate::report::{Of, Ratio, Row, median};

/// What a round measured: records a second, and calls of a job without questions how far it is.
struct Round {
    ours: f64,
    jsforce: f64,
    calls: f64,
}

/// The figures of jobs. Who begins takes turns, so that a machine that gets slower is nobody's
/// advantage.
pub(super) async fn bulk(args: &Args) -> Result<Vec<Row>> {
    let mut rounds = Vec::new();
    for number in 1..=args.rounds {
        let (ours, theirs) = if number % 2 == 1 {
            let ours = ours(args).await?;
            (ours, jsforce::upload(&args.jsforce, args.bulk_records).await?)
        } else {
            let theirs = jsforce::upload(&args.jsforce, args.bulk_records).await?;
            (ours(args).await?, theirs)
        };
        let Delivered { time, calls } = ours;
        let rate = |seconds: f64| f64::from(args.bulk_records) / seconds;
        let round = Round {
            ours: rate(time.as_secs_f64()),
            jsforce: rate(theirs.as_secs_f64()),
            calls: f64::from(calls.all - calls.polls) / f64::from(calls.jobs),
        };
        eprintln!(
            "round {number} of {}: BulkV2 {:.0}/s, jsforce {:.0}/s, {} jobs, {} calls and {} polls",
            args.rounds,
            round.ours,
            round.jsforce,
            calls.jobs,
            calls.all - calls.polls,
            calls.polls
        );
        rounds.push(round);
    }
    let all = |of: fn(&Round) -> f64| rounds.iter().map(of).collect::<Vec<f64>>();
    let ratio = Ratio::of(&all(|round| round.ours / round.jsforce));
    Ok(vec![
        Row::records("salesforce.bulk", median(&all(|round| round.ours)), ratio, Of::Jsforce),
        Row::plain("salesforce.bulk_jsforce", median(&all(|round| round.jsforce)), "rec/s"),
        Row::plain("salesforce.bulk_calls_per_job", median(&all(|round| round.calls)), "calls"),
    ])
}

async fn ours(args: &Args) -> Result<Delivered> {
    measure(&args.postgres, SalesforceApi::BulkV2, args.bulk_records).await
}
