//! Leases: the right to deliver a lane of a destination for a while.

use std::fmt;

use dipmo_domain::{Destination, Lane};

/// Who holds a lease: unique for each dispatcher that ever ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner(pub String);

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Grows each time a lane changes hands; a settlement under an older one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub i64);

/// A lane of a destination that is ours until the database's clock passes the end of the lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The destination.
    pub destination: Destination,
    /// The lane.
    pub lane: Lane,
    /// Under which epoch it is ours.
    pub epoch: Epoch,
}
