//! A job in somebody's hands: its leases, its phase, and the units that are left in it.

use std::time::Duration;

use dipmo_domain::{Destination, OutboxId, StoreError};
use dipmo_outbox::{Delivery, Job, JobId, JobMark, JobPage, Lease, Owner, UnitResult};
use dipmo_store::{BeginJob, JobChange, LeasedJob, Store};

use super::{Hand, LONG, dispatched};

/// As many units as there are.
const ALL: u32 = 1_000_000;

/// A job, and the leases under which it is ours.
#[derive(Clone, Debug)]
pub struct JobHand {
    /// Who holds them.
    pub owner: Owner,
    /// The job as it was when it was begun or taken.
    pub job: Job,
    /// Its lanes.
    pub leases: Vec<Lease>,
}

/// Leases all lanes of a destination that have work, and makes a job of all of it.
pub async fn begin(store: &dyn Store, destination: &Destination, owner: &str) -> JobHand {
    begin_for(store, destination, owner, LONG).await
}

/// The same under leases of a duration.
pub async fn begin_for(
    store: &dyn Store,
    destination: &Destination,
    owner: &str,
    duration: Duration,
) -> JobHand {
    let hand = Hand::leasing(store, destination, owner, duration).await;
    let begun = store.begin_job(BeginJob { leases: &hand.leases, least: 1, most: ALL }).await;
    JobHand::of(begun.unwrap().expect("there is something to make a job of"), owner)
}

/// Takes a job that nobody holds.
pub async fn take_job(
    store: &dyn Store,
    destination: &Destination,
    owner: &str,
) -> Option<JobHand> {
    let taken = store.take_job(destination, &Owner(owner.to_owned()), LONG).await.unwrap();
    taken.map(|taken| JobHand::of(taken, owner))
}

/// The ids of deliveries.
#[must_use]
pub fn ids_of(units: &[Delivery]) -> Vec<OutboxId> {
    units.iter().map(|delivery| delivery.unit).collect()
}

impl JobHand {
    /// A job that was leased.
    #[must_use]
    pub fn of(leased: LeasedJob, owner: &str) -> Self {
        let LeasedJob { job, leases } = leased;
        Self { owner: Owner(owner.to_owned()), job, leases }
    }

    /// The id of the job.
    #[must_use]
    pub const fn id(&self) -> JobId {
        self.job.id
    }

    /// Changes the job.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn change(&self, store: &dyn Store, change: JobChange) -> Result<Job, StoreError> {
        store.change_job(self.id(), &self.leases, change).await
    }

    /// Brings it from SEALED to GIVEN.
    pub async fn give(&self, store: &dyn Store) {
        let made = JobChange::Made { remote: "remote-1".to_owned() };
        self.change(store, made).await.unwrap();
        self.change(store, JobChange::Given).await.unwrap();
    }

    /// One page.
    pub async fn page(&self, store: &dyn Store, behind: Option<JobMark>, limit: u32) -> JobPage {
        store.job_units(self.id(), behind, limit).await.unwrap()
    }

    /// All pages of about so many units.
    pub async fn pages(&self, store: &dyn Store, limit: u32) -> Vec<JobPage> {
        let mut pages = vec![self.page(store, None, limit).await];
        while let Some(mark) = pages.last().and_then(|page| page.next) {
            pages.push(self.page(store, Some(mark), limit).await);
        }
        pages
    }

    /// All units that are left in it, sorted.
    pub async fn units(&self, store: &dyn Store) -> Vec<Delivery> {
        let page = self.page(store, None, ALL).await;
        assert_eq!(page.next, None, "the page had room for all");
        let mut units = page.units;
        units.sort_by_key(|delivery| delivery.unit);
        units
    }

    /// These units under the leases of the job.
    #[must_use]
    pub fn hand(&self, units: Vec<Delivery>) -> Hand {
        Hand { owner: self.owner.clone(), leases: self.leases.clone(), units }
    }

    /// Settles all units that are left in it.
    pub async fn settle(&self, store: &dyn Store, result: impl Fn(&Delivery) -> UnitResult) {
        self.hand(self.units(store).await).settle(store, result).await.unwrap();
    }

    /// Ends it, and gives its lanes back.
    pub async fn end(&self, store: &dyn Store) {
        self.change(store, JobChange::Ended).await.unwrap();
        self.give_back(store).await;
    }

    /// Dispatches all that is left in it, and ends it.
    pub async fn deliver(&self, store: &dyn Store) {
        self.settle(store, |_| dispatched()).await;
        self.end(store).await;
    }

    /// Gives the lanes back.
    pub async fn give_back(&self, store: &dyn Store) {
        store.give_back(&self.owner, &self.leases).await.unwrap();
    }
}
