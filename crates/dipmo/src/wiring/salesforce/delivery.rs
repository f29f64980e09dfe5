//! How records go to all orgs.

use dipmo_config::model::salesforce as model;
use dipmo_sink_salesforce::{AutoOptions, BulkOptions, Patience, SalesforceSinkOptions};

use super::resilience;
use crate::wiring::asked::{self, size};

/// Puts what is said in the place of the defaults.
pub(super) fn set(options: &mut SalesforceSinkOptions, delivery: &model::Delivery) {
    let model::Delivery {
        place: _,
        parallel,
        slice_time,
        parent,
        older,
        auto,
        bulk,
        resilience: all,
    } = delivery;
    if let Some(parallel) = parallel {
        options.sending.parallel = size(parallel.get());
    }
    asked::set(&mut options.sending.slice_time, slice_time.as_ref());
    set_patience(&mut options.sending.parent, parent.as_ref());
    set_patience(&mut options.sending.older, older.as_ref());
    if let Some(auto) = auto {
        set_auto(&mut options.auto, auto);
    }
    if let Some(bulk) = bulk {
        set_bulk(&mut options.bulk, bulk);
    }
    if let Some(all) = all {
        resilience::set_all(&mut options.resilience, all);
    }
}

fn set_patience(patience: &mut Patience, said: Option<&model::Patience>) {
    let Some(model::Patience { place: _, retries, delay }) = said else { return };
    asked::set(&mut patience.retries, retries.as_ref());
    asked::set(&mut patience.delay, delay.as_ref());
}

fn set_auto(options: &mut AutoOptions, auto: &model::Auto) {
    let model::Auto { place: _, latency, scarce } = auto;
    asked::set(&mut options.latency, latency.as_ref());
    if let Some(scarce) = scarce {
        options.scarce = scarce.value.0;
    }
}

fn set_bulk(options: &mut BulkOptions, bulk: &model::Bulk) {
    let model::Bulk {
        place: _,
        least,
        most,
        lanes,
        gather,
        enough,
        page,
        most_bytes,
        first_poll,
        longest_poll,
        delete,
    } = bulk;
    asked::set(&mut options.least, least.as_ref());
    asked::set(&mut options.most, most.as_ref());
    asked::set(&mut options.lanes, lanes.as_ref());
    asked::set(&mut options.gather, gather.as_ref());
    asked::set(&mut options.enough, enough.as_ref());
    asked::set(&mut options.page, page.as_ref());
    asked::set(&mut options.most_bytes, most_bytes.as_ref());
    asked::set(&mut options.first_poll, first_poll.as_ref());
    asked::set(&mut options.longest_poll, longest_poll.as_ref());
    asked::set(&mut options.delete, delete.as_ref());
}
