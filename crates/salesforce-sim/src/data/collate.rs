//! `collateSubrequests`: in which order the subrequests of a composite run.
//!
//! Salesforce may put unrelated subrequests together, and then promises no order among them. A
//! client that forgets to say `false` where order matters would never notice, did the simulator not
//! draw an order.

use std::collections::HashSet;

use fastrand::Rng;
use serde_json::{Map, Value as Json};

use super::body;
use super::subrequest::Subrequest;
use crate::refusal::Refusal;

/// From this version on subrequests are collated unless the request says otherwise.
const DEFAULT_SINCE: u32 = 490;

/// Whether the order is left to Salesforce.
pub(super) fn wanted(members: &Map<String, Json>, version: u32) -> Result<bool, Refusal> {
    let given = body::flag(members, "collateSubrequests")?;
    Ok(given.unwrap_or(version >= DEFAULT_SINCE))
}

/// The places of the subrequests in an order that is allowed: two change places only if they may
/// be collated, so that nothing passes a query, another method or what it refers to.
pub(super) fn order(subrequests: &[Subrequest<'_>], rng: &mut Rng) -> Vec<usize> {
    let traits: Vec<Traits<'_>> = subrequests.iter().map(Traits::of).collect();
    let mut left: Vec<usize> = (0..subrequests.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let may_be_next = |at: &usize| {
            left[..*at].iter().all(|&earlier| traits[earlier].collates(&traits[left[*at]]))
        };
        // The first that is left always may.
        let ready: Vec<usize> = (0..left.len()).filter(may_be_next).collect();
        order.push(left.remove(ready[rng.usize(..ready.len())]));
    }
    order
}

/// What decides whether two subrequests may be collated.
struct Traits<'a> {
    subrequest: &'a Subrequest<'a>,
    refers_to: HashSet<&'a str>,
    is_record: bool,
}

impl<'a> Traits<'a> {
    fn of(subrequest: &'a Subrequest<'a>) -> Self {
        let first = subrequest.target.as_ref().and_then(|target| target.path.first());
        Traits {
            subrequest,
            refers_to: subrequest.names().into_iter().collect(),
            is_record: first.is_some_and(|first| first.eq_ignore_ascii_case("sobjects")),
        }
    }

    fn collates(&self, other: &Traits<'_>) -> bool {
        let (one, two) = (self.subrequest, other.subrequest);
        self.is_record
            && other.is_record
            && one.method == two.method
            && one.headers == two.headers
            && !self.refers_to.contains(two.reference)
            && !other.refers_to.contains(one.reference)
    }
}
