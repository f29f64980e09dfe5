//! A kind of list: what is asked for, and what must come.

use crate::operate::past::Past;

/// A word that is nowhere, so that it is looked for as far as a store looks.
pub(super) const NOWHERE: &str = "quincunx";

/// Whether one message or unit of the past is in a list.
type Has<Of> = Box<dyn Fn(&Past, Of) -> bool + Send + Sync>;

/// A kind of list of messages or units.
pub(super) struct Kind<Filter, Of> {
    pub(super) metric: &'static str,
    pub(super) filter: Filter,
    pub(super) has: Has<Of>,
}

impl<Filter, Of> Kind<Filter, Of> {
    pub(super) fn new(
        metric: &'static str,
        filter: Filter,
        has: impl Fn(&Past, Of) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { metric, filter, has: Box::new(has) }
    }
}
