//! Where Salesforce is: a simulator inside this process, or an org elsewhere.

mod facts;
mod faults;
mod remote;
mod simulated;

use std::time::Duration;

use anyhow::Result;
use dipmo_salesforce::Secret;

pub(crate) use facts::{OrgFacts, Write};
use remote::Remote;
use simulated::Simulated;

/// An org that takes families, members and blocks.
pub(crate) enum Org {
    /// It lives for as long as this does.
    Simulated(Simulated),
    Remote(Box<Remote>),
}

impl Org {
    /// A simulator, which fails now and then.
    pub(crate) async fn simulated(seed: u64) -> Result<Self> {
        Simulated::start(seed).await.map(Self::Simulated)
    }

    /// An org or a simulator at a URL. Whoever logs in is told by the environment.
    pub(crate) async fn remote(url: &str) -> Result<Self> {
        Remote::log_in(url).await.map(|remote| Self::Remote(Box::new(remote)))
    }

    /// For people.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Simulated(_) => "Salesforce in-process".to_owned(),
            Self::Remote(remote) => format!("Salesforce at {}", remote.url()),
        }
    }

    /// How dipmo reaches it.
    pub(crate) fn login(&self) -> Login {
        match self {
            Self::Simulated(simulated) => simulated.login(),
            Self::Remote(remote) => remote.login(),
        }
    }

    /// What external ids begin with, so that they are those of this run.
    pub(crate) fn prefix(&self) -> &str {
        match self {
            Self::Simulated(_) => "",
            Self::Remote(remote) => remote.prefix(),
        }
    }

    /// What it has now of the records of this run.
    pub(crate) async fn read_back(&self) -> Result<OrgFacts> {
        match self {
            Self::Simulated(simulated) => simulated.read_back(),
            Self::Remote(remote) => remote.read_back().await,
        }
    }

    /// Removes the records of this run.
    pub(crate) async fn remove(&self) -> Result<()> {
        match self {
            Self::Simulated(_) => Ok(()),
            Self::Remote(remote) => remote.remove().await,
        }
    }

    /// What stays when nobody removes it.
    pub(crate) fn leftovers(&self) -> Option<String> {
        match self {
            Self::Simulated(_) => None,
            Self::Remote(remote) => Some(format!(
                "records are left in Salesforce: those of {} whose ExternalId__c begins with {}",
                OBJECTS.join(", "),
                remote.prefix()
            )),
        }
    }
}

/// Where an org is, and who logs in: the client credentials of a connected app.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: Secret,
    /// Whether it is the one inside this process.
    pub(crate) is_simulated: bool,
}

/// How long a call to the simulator may take, by `overlays/simulated.yaml`. A real org gets ten times as much.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The objects that records of a run are of, children before their parents.
pub(crate) const OBJECTS: [&str; 3] = ["Contact", "Block__c", "Family__c"];
