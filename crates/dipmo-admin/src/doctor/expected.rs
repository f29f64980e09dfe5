//! What the configuration says: who looks at a database alone does not know what ought to be there.

use std::time::Duration;

/// What the configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// There is something to consume: a source, or a leg.
    pub consumes: bool,
    /// How long what is done with is kept; `None` is for ever.
    pub history: Option<Duration>,
    /// How long ids of messages are kept; `None` is for ever.
    pub message_ids: Option<Duration>,
    /// Where operators come in.
    pub door: DoorKind,
}

/// How operators come in over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorKind {
    /// They do not.
    Closed,
    /// From this machine only.
    Local,
    /// From other machines, with TLS.
    Tls,
    /// From other machines, in plain text: a proxy is to end TLS.
    PlainText,
}
