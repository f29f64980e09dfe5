//! What was promised: whether it is kept, and will be.

use std::time::Duration;

use super::facts::{Facts, told};
use super::line::Line;
use crate::routes::report_slo::words;
use crate::slo::Standing;

/// A budget of which less is left will not last, as experience has it.
const LITTLE: f64 = 0.5;
/// What is used up sooner needs somebody today.
const SOON: Duration = Duration::from_secs(24 * 3_600);

const CHECK: &str = "slo";
const NEXT: &str =
    "dipmo report slo, then dipmo report ageing and dipmo failures list: what is slow, what fails?";

pub(super) fn lines(facts: &Facts) -> Vec<Line> {
    vec![slo(facts)]
}

fn slo(facts: &Facts) -> Line {
    if facts.expected.is_none() {
        let why = "whoever answers was not told the configuration";
        return Line::unknown(CHECK, why, "dipmo check");
    }
    told(CHECK, &facts.promises, |standings| {
        if standings.is_empty() {
            return Line::ok(CHECK, "nothing is promised: the configuration has no slo");
        }
        if standings.iter().all(|it| it.kept.total == 0) {
            let why = "nothing was counted yet";
            return Line::unknown(
                CHECK,
                why,
                "dipmo instance list: an older version counts nothing",
            );
        }
        let evidence = standings.iter().map(evidence).collect::<Vec<_>>().join("; ");
        if standings.iter().any(Standing::is_overspent) {
            return Line::fail(CHECK, evidence, NEXT);
        }
        match standings.iter().any(|it| is_short(it) || is_burning(it)) {
            true => Line::warn(CHECK, evidence, NEXT),
            false => Line::ok(CHECK, evidence),
        }
    })
}

fn is_short(standing: &Standing) -> bool {
    standing.kept.left(standing.promise.target).is_some_and(|left| left < LITTLE)
}

/// It burns now, it has for hours, and goes on like that it will be used up soon.
fn is_burning(standing: &Standing) -> bool {
    let burns = standing.burns.iter().all(|burn| burn.is_some_and(|burn| burn > 1.0));
    burns && standing.lasts.is_some_and(|lasts| lasts < SOON)
}

fn evidence(standing: &Standing) -> String {
    let (name, _) = words(standing.promise.objective);
    let (share, left) = (standing.kept.share(), standing.kept.left(standing.promise.target));
    let (Some(share), Some(left)) = (share, left) else { return format!("{name}: nothing came") };
    let target = standing.promise.target.share();
    format!(
        "{name} {:.3} % of {:.3} %, {:.0} % of the budget is left",
        share * 100.0,
        target * 100.0,
        left * 100.0
    )
}

#[cfg(test)]
mod tests {
    use dipmo_store::admin::Objective;

    use super::*;
    use crate::doctor::expected::{DoorKind, Expected};
    use crate::doctor::line::Verdict;
    use crate::slo::{Kept, Promise, Target};

    fn verdict(good: u64, burns: [Option<f64>; 2], lasts: Option<u64>) -> Verdict {
        let target = Target::of(0.9).unwrap();
        let standing = Standing {
            promise: Promise { objective: Objective::Processed, target },
            kept: Kept { good, total: 100 },
            since: None,
            burns,
            lasts: lasts.map(|hours| Duration::from_secs(hours * 3_600)),
        };
        judged(Ok(vec![standing]))
    }

    fn judged(promises: super::super::facts::Seen<Vec<Standing>>) -> Verdict {
        let expected =
            Expected { consumes: true, history: None, message_ids: None, door: DoorKind::Local };
        slo(&Facts { promises, expected: Some(expected), ..Facts::unseen() }).verdict
    }

    #[test]
    fn a_budget_is_watched_before_it_is_used_up() {
        assert_eq!(verdict(96, [Some(0.0); 2], None), Verdict::Ok);
        assert_eq!(verdict(94, [Some(0.0); 2], None), Verdict::Warn, "more than half is used up");
        assert_eq!(verdict(90, [Some(0.0); 2], None), Verdict::Warn, "all of it, and no more");
        assert_eq!(verdict(89, [Some(0.0); 2], None), Verdict::Fail);
    }

    #[test]
    fn what_burns_now_and_for_hours_is_told_when_little_time_is_left() {
        assert_eq!(verdict(99, [Some(5.0); 2], Some(23)), Verdict::Warn);
        assert_eq!(verdict(99, [Some(5.0); 2], Some(25)), Verdict::Ok);
        assert_eq!(verdict(99, [Some(0.0), Some(5.0)], Some(1)), Verdict::Ok, "it is over");
        assert_eq!(verdict(99, [None, Some(5.0)], Some(1)), Verdict::Ok, "nothing comes any more");
    }

    #[test]
    fn what_nobody_promised_or_counted_is_said_so() {
        assert_eq!(judged(Ok(vec![])), Verdict::Ok);
        assert_eq!(judged(Err("store-busy".to_owned())), Verdict::Unknown);
        assert_eq!(slo(&Facts::unseen()).verdict, Verdict::Unknown, "nobody knows the file");
    }
}
