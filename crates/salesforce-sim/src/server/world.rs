//! What all calls of a running simulator share.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::Error;
use crate::bulk::Jobs;
use crate::clock::Clock;
use crate::fault::Faults;
use crate::oauth::apps::Apps;
use crate::oauth::sessions::Sessions;
use crate::org::Org;
use crate::refusal::Refusal;
use crate::schema::Schema;
use crate::server::in_flight::InFlight;
use crate::server::latency::Latencies;
use crate::server::log::CallLog;
use crate::server::tasks::Tasks;

/// A running simulator.
pub(crate) struct World {
    /// The address it listens at, without a slash at the end.
    pub(crate) url: String,
    pub(crate) schema: Arc<Schema>,
    pub(crate) clock: Clock,
    pub(crate) faults: Arc<Faults>,
    pub(crate) apps: Apps,
    pub(crate) sessions: Sessions,
    pub(crate) calls: CallLog,
    pub(crate) in_flight: InFlight,
    pub(crate) latencies: Latencies,
    pub(crate) jobs: Jobs,
    org: Mutex<Org>,
    /// How many resets there were.
    epoch: AtomicU64,
    tasks: Tasks,
    /// Becomes true, or loses its sender, when the simulator stops.
    stopped: watch::Receiver<bool>,
}

impl World {
    pub(crate) fn new(
        url: String,
        schema: Schema,
        clock: Clock,
        stopped: watch::Receiver<bool>,
    ) -> Result<Self, Error> {
        let schema = Arc::new(schema);
        let world = World {
            url,
            apps: Apps::new(&schema)?,
            sessions: Sessions::new(schema.limits.session),
            org: Mutex::new(new_org(&schema, &clock)),
            faults: Arc::default(),
            calls: CallLog::default(),
            in_flight: InFlight::default(),
            latencies: Latencies::default(),
            epoch: AtomicU64::new(0),
            tasks: Tasks::default(),
            jobs: Jobs::default(),
            schema,
            clock,
            stopped,
        };
        world.open_fixed_sessions();
        Ok(world)
    }

    /// The org. Never hold it over an await: every call needs it.
    pub(crate) fn org(&self) -> MutexGuard<'_, Org> {
        // A transaction that panicked was undone when it was dropped.
        self.org.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a task that ends with the simulator, and then gives nothing.
    pub(crate) fn spawn<F>(&self, future: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let mut stopped = self.stopped.clone();
        let guard = self.tasks.enter();
        tokio::spawn(async move {
            let _guard = guard;
            tokio::select! {
                biased;
                () = until_stopped(&mut stopped) => None,
                output = future => Some(output),
            }
        })
    }

    /// Waits until every task has ended, which they do when the simulator stops.
    pub(crate) async fn tasks_ended(&self) {
        self.tasks.none_left().await;
    }

    /// How many resets there were.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Refuses a call that arrived in an epoch which is over: what it would do belongs to an org
    /// that is gone. To be asked while the org is held, if it is to hold that long.
    pub(crate) fn check_epoch(&self, epoch: u64) -> Result<(), Refusal> {
        if self.epoch() == epoch {
            return Ok(());
        }
        let message = "The simulator was reset while this call was under way";
        Err(Refusal::new("SERVER_UNAVAILABLE", message).with_status(503))
    }

    /// The ids of the org and of a user.
    pub(crate) fn ids_of(&self, username: &str) -> (String, String) {
        let org = self.org();
        let user = org.user(username).map(|user| org.id_text(user).to_string());
        (org.organization_id().to_string(), user.unwrap_or_default())
    }

    /// `Sforce-Limit-Info`.
    pub(crate) fn usage(&self) -> String {
        let requests = self.org().limits.requests();
        format!("api-usage={}/{}", requests.used, requests.max)
    }

    /// Makes the simulator as it was at its start. Those who are logged in stay so, unless their
    /// sessions are to end too.
    pub(crate) fn reset(&self, sessions_too: bool) {
        self.faults.clear();
        self.clock.reset();
        // The epoch begins with its org: calls and jobs of before ask for it while they hold the
        // org, so that none of them ever writes to the new one.
        let epoch = {
            let mut org = self.org();
            *org = new_org(&self.schema, &self.clock);
            self.epoch.fetch_add(1, Ordering::AcqRel) + 1
        };
        self.jobs.begin(epoch);
        self.calls.clear(epoch);
        self.latencies.clear();
        self.apps.restore();
        if sessions_too {
            self.sessions.revoke_all();
            self.open_fixed_sessions();
        }
    }

    fn open_fixed_sessions(&self) {
        for user in &self.schema.org.users {
            for token in &user.tokens {
                self.sessions.open_fixed(token, &user.username, self.clock.now());
            }
        }
    }
}

/// Waits until the simulator stops, or is gone.
pub(crate) async fn until_stopped(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

fn new_org(schema: &Arc<Schema>, clock: &Clock) -> Org {
    Org::new(Arc::clone(schema), clock.rng("org", 0), clock.now())
}
