//! Legs that run, alone or beside an engine.

use std::sync::Arc;

use dipmo_config::Problems;
use dipmo_leg_kafka::KafkaLeg;
use dipmo_processing::Pulse;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::instance::{Part, RunError, until_all_ended};
use super::problem::{coded, missing};
use super::{Pipeline, Role, Roles};
use crate::service::watch_leg;

/// The legs of a file, before they run.
pub struct Legs(Vec<(String, Arc<KafkaLeg>)>);

impl Pipeline {
    /// The legs that run in these roles: they belong to `consume`.
    ///
    /// # Errors
    /// What a client says when it is made.
    pub fn legs(&self, roles: &Roles) -> Result<Legs, Problems> {
        let (mut legs, mut problems) = (Vec::new(), Problems::default());
        for plan in self.legs.iter().filter(|_| roles.has(Role::Consume)) {
            match plan.leg() {
                Ok(leg) => legs.push((plan.name.clone(), Arc::new(leg))),
                Err(error) => problems.push(coded(&error, plan.place)),
            }
        }
        if problems.any_error() { Err(problems) } else { Ok(Legs(legs)) }
    }

    /// The legs of a file that has nothing else, and so no database.
    ///
    /// # Errors
    /// As [`legs`](Self::legs), and when these roles have nothing to do.
    pub fn legs_alone(&self, roles: &Roles) -> Result<Legs, Problems> {
        let legs = self.legs(roles)?;
        if legs.is_empty() {
            let mut problems = Problems::default();
            let message = "there are only legs, which run in the role `consume`";
            problems.push(missing(self.config.place, message));
            return Err(problems);
        }
        Ok(legs)
    }
}

impl Legs {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each leg by its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<KafkaLeg>)> {
        self.0.iter().map(|(name, leg)| (name.as_str(), leg))
    }

    /// Runs until it is stopped: open transactions are ended, and the groups left.
    ///
    /// # Errors
    /// When a leg ends that should not have; the others are stopped then.
    pub async fn run(self, pulse: Arc<Pulse>, stop: CancellationToken) -> Result<(), RunError> {
        pulse.without_store();
        let helpers = CancellationToken::new();
        let _helpers_end = helpers.clone().drop_guard();
        let mut parts = JoinSet::new();
        self.start(&mut parts, &pulse, &stop, &helpers);
        until_all_ended(parts, &stop).await
    }

    /// Starts each as a part of an instance.
    pub(super) fn start(
        self,
        parts: &mut JoinSet<Part>,
        pulse: &Arc<Pulse>,
        stop: &CancellationToken,
        helpers: &CancellationToken,
    ) {
        for (name, leg) in self.0 {
            let part = pulse.part(&format!("leg {name}"));
            tokio::spawn(watch_leg(Arc::clone(&leg), part.clone(), helpers.clone()));
            let stop = stop.clone();
            parts.spawn(async move {
                let _alive = part.task();
                let ran = leg.run(stop).await;
                let ran = ran.map_err(|error| RunError::Leg { name: name.clone(), error });
                (format!("the leg {name:?}"), ran)
            });
        }
    }
}
