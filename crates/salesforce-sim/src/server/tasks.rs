//! The tasks under way, so that whoever stops the simulator can wait for their end.

use tokio::sync::watch;

/// How many tasks are under way.
#[derive(Debug)]
pub(crate) struct Tasks(watch::Sender<usize>);

impl Default for Tasks {
    fn default() -> Self {
        Tasks(watch::Sender::new(0))
    }
}

impl Tasks {
    /// Counts a task until the guard is dropped.
    pub(crate) fn enter(&self) -> Guard {
        self.0.send_modify(|count| *count += 1);
        Guard(self.0.clone())
    }

    /// Waits until there is none.
    pub(crate) async fn none_left(&self) {
        // We hold a sender, so there is always somebody to hear from.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// A task under way.
#[derive(Debug)]
pub(crate) struct Guard(watch::Sender<usize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_end_comes_with_the_last_task() {
        let tasks = Tasks::default();
        tasks.none_left().await;
        let (first, second) = (tasks.enter(), tasks.enter());
        drop(first);
        let a_while = Duration::from_secs(1);
        assert!(tokio::time::timeout(a_while, tasks.none_left()).await.is_err());
        drop(second);
        tasks.none_left().await;
    }
}
