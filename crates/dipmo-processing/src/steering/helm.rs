//! Reads the orders of operators, and tells them to all that obeys.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::admin::Controls;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{Orders, Steering};

/// Reads what operators hold back, every second.
///
/// ```no_run
/// # use dipmo_processing::{Engine, Helm};
/// # use tokio_util::sync::CancellationToken;
/// # async fn start(store: std::sync::Arc<dyn dipmo_store::admin::Operable>, engine: Engine) {
/// let (helm, stop) = (Helm::new(store as _), CancellationToken::new());
/// let engine = engine.steered(helm.steering());
/// helm.first(&stop).await; // before anything is taken
/// tokio::spawn(helm.run(stop));
/// # }
/// ```
pub struct Helm {
    controls: Arc<dyn Controls>,
    every: Duration,
    tell: watch::Sender<Arc<Orders>>,
}

impl Helm {
    /// For what is kept in a store.
    #[must_use]
    pub fn new(controls: Arc<dyn Controls>) -> Self {
        Self { controls, every: Duration::from_secs(1), tell: watch::Sender::default() }
    }

    /// For who is to obey.
    #[must_use]
    pub fn steering(&self) -> Steering {
        Steering::new(self.tell.subscribe())
    }

    /// Reads until it has succeeded once: what was paused stays so through a restart. Ends when it is stopped, too.
    pub async fn first(&self, stop: &CancellationToken) {
        while let Err(error) = self.look().await {
            tracing::warn!(%error, "what operators hold back is not known yet: nothing is begun");
            if self.rest(stop).await {
                return;
            }
        }
    }

    /// Reads until it is stopped; the last orders hold from then on.
    pub async fn run(self, stop: CancellationToken) {
        let mut is_cut_off = false;
        while !self.rest(&stop).await {
            let read = self.look().await;
            match &read {
                Err(error) if !is_cut_off => {
                    tracing::warn!(%error, "what operators hold back cannot be read: it stays as it was");
                }
                _ => {}
            }
            is_cut_off = read.is_err();
        }
    }

    /// Waits for its next turn; true when it is stopped.
    async fn rest(&self, stop: &CancellationToken) -> bool {
        tokio::select! {
            biased;
            () = stop.cancelled() => true,
            () = sleep(self.every) => false,
        }
    }

    async fn look(&self) -> Result<(), StoreError> {
        let orders = Arc::new(Orders::of(self.controls.controls().await?));
        self.tell.send_if_modified(|known| {
            let news = **known != *orders;
            if news {
                let paused = orders.to_string();
                tracing::info!(paused, "what operators hold back has changed");
                *known = orders;
            }
            news
        });
        Ok(())
    }
}
