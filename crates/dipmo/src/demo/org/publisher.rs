//! dipmo's publisher for Salesforce, as a user would set it up.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo_sink_salesforce::{OrgOptions, Patience, SalesforcePublisher, SalesforceSinkOptions};
use dipmo_store::Store;
use members::{Tables, mappings};

use super::Org;
use crate::demo::failed::for_people;

impl Org {
    /// What delivers to this org, reading the tables just before.
    pub(crate) fn publisher(
        &self,
        store: &Arc<dyn Store>,
        tables: &Tables,
    ) -> Result<Arc<SalesforcePublisher>> {
        let org = OrgOptions::new(self.client(), mappings(tables));
        let mut options = SalesforceSinkOptions::new(vec![org]);
        self.be_impatient(&mut options);
        let lookup = Arc::clone(store);
        let publisher =
            SalesforcePublisher::new(options, lookup).map_err(|error| for_people(&error))?;
        Ok(Arc::new(publisher))
    }

    /// Nobody wants to watch a demo wait. A real org is left alone for as long as it needs.
    fn be_impatient(&self, options: &mut SalesforceSinkOptions) {
        let soon = Patience { retries: 60, delay: Duration::from_millis(250) };
        (options.sending.parent, options.sending.older) = (soon, soon);
        options.bulk.gather = Duration::from_millis(200);
        if matches!(self, Self::Simulated(_)) {
            options.sending.slice_time = Duration::from_secs(4);
            (options.bulk.first_poll, options.bulk.longest_poll) =
                (Duration::from_millis(100), Duration::from_millis(500));
            let open = Duration::from_secs(1);
            options.resilience.org.breaker.open = open;
            options.resilience.object.breaker.open = open;
        }
    }
}
