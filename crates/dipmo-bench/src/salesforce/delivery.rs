//! A delivery that is measured: contacts that wait in the outbox, until Salesforce has them all and
//! each is settled.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use dipmo_domain::SalesforceApi;
use dipmo_processing::Role;
use dipmo_sink_salesforce::{BulkOptions, OrgOptions, SalesforcePublisher, SalesforceSinkOptions};

use super::events::events;
use super::org::{Calls, Login, Org};
use super::{contacts, process};
use crate::bed::{self, Bed, Running};
use crate::database::{Database, with_database};

/// What the publisher serves.
const PATTERN: &str = "HTTP:SFDC*";

/// What a delivery took.
pub(super) struct Delivered {
    pub(super) time: Duration,
    pub(super) calls: Calls,
}

/// Delivers so many contacts by an API, with a database and an org of their own.
pub(super) async fn measure(server: &str, api: SalesforceApi, contacts: u32) -> Result<Delivered> {
    with_database(server, async |database| {
        let org = Org::start().await?;
        let sender = Sender::connect(database, &org.login()?, BulkOptions::default()).await?;
        sender.prepare(api, contacts).await?;
        database.checkpoint().await?;
        let begun = Instant::now();
        let running = sender.start(&[Role::Publish]);
        let ended = running.until(bed::dispatched, contacts.into()).await;
        let ended = ended.with_context(|| format!("{api}: {:?}", org.calls()))?;
        running.stop().await?;
        org.check(contacts)?;
        let calls = org.calls();
        org.stop().await;
        Ok(Delivered { time: ended - begun, calls })
    })
    .await
}

/// The shipped store, engine and publisher.
pub(super) struct Sender {
    bed: Bed,
    publisher: Arc<SalesforcePublisher>,
}

impl Sender {
    pub(super) async fn connect(
        database: &Database,
        login: &Login,
        bulk: BulkOptions,
    ) -> Result<Self> {
        Self::at(&database.url(), login, bulk).await
    }

    /// With default options, but for jobs and for the rate limiter, which is lifted: what it allows
    /// is known, and would be all that a figure tells.
    pub(super) async fn at(postgres: &str, login: &Login, bulk: BulkOptions) -> Result<Self> {
        let bed = Bed::with(postgres, process::registry()?).await?;
        let org = OrgOptions::new(login.client(), vec![contacts::mapping()]);
        let mut options = SalesforceSinkOptions { bulk, ..SalesforceSinkOptions::new(vec![org]) };
        for level in [&mut options.resilience.org, &mut options.resilience.object] {
            level.rate.calls = 1_000_000;
        }
        let publisher = SalesforcePublisher::new(options, Arc::clone(&bed.store) as _)?;
        Ok(Self { bed, publisher: Arc::new(publisher) })
    }

    /// Has the rows in the table, and an intent for every thousand of them in the outbox.
    pub(super) async fn prepare(&self, api: SalesforceApi, contacts: u32) -> Result<()> {
        let events = events(api, contacts);
        for some in events.chunks(20) {
            self.bed.store.store(some, &[]).await?;
        }
        let running = self.start(&[Role::Process]);
        running.until(bed::processed, events.len() as u64).await?;
        running.stop().await
    }

    pub(super) fn start(&self, roles: &'static [Role]) -> Running {
        self.bed.start_for(PATTERN, roles, Arc::<SalesforcePublisher>::clone(&self.publisher))
    }
}
