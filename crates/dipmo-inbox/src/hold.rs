//! Whether an operator holds a source back.

use std::fmt;
use std::sync::Arc;

use dipmo_domain::Failure;

type Ask = dyn Fn() -> Option<Failure> + Send + Sync;

/// Asks whether an operator holds a source back, each time anew. By default nobody does.
#[derive(Clone)]
pub struct Hold(Arc<Ask>);

impl Hold {
    /// By the word of somebody who answers at once, however often they are asked.
    #[must_use]
    pub fn new(ask: impl Fn() -> Option<Failure> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// Why the source is to rest now, if it is.
    #[must_use]
    pub fn why(&self) -> Option<Failure> {
        (self.0)()
    }

    /// True while the source is to rest.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.why().is_some()
    }
}

impl Default for Hold {
    fn default() -> Self {
        Self::new(|| None)
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hold").field(&self.why()).finish()
    }
}
