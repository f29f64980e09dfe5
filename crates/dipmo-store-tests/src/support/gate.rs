//! A gate inside a batch: the test knows when somebody is inside, and says when to go on.

use std::sync::mpsc;

use tokio::sync::oneshot;

/// The test's side.
pub struct Gate {
    inside: Option<oneshot::Receiver<()>>,
    go: mpsc::Sender<()>,
}

/// The side of the batch.
pub struct Guard {
    inside: oneshot::Sender<()>,
    go: mpsc::Receiver<()>,
}

/// Both sides of a gate.
#[must_use]
pub fn gate() -> (Gate, Guard) {
    let (said, inside) = oneshot::channel();
    let (go, waits) = mpsc::channel();
    (Gate { inside: Some(inside), go }, Guard { inside: said, go: waits })
}

impl Gate {
    /// Returns when somebody stands at the gate, inside the transaction.
    ///
    /// # Panics
    /// When the guard was dropped without coming to the gate.
    pub async fn somebody_inside(&mut self) {
        let inside = self.inside.take().expect("asked once");
        inside.await.expect("the batch ended without coming to the gate");
    }

    /// Opens the gate; dropping it does as well.
    pub fn open(self) {
        // A batch that was killed does not wait any more, and that is fine.
        let _ = self.go.send(());
    }
}

impl Guard {
    /// Stands still until the gate opens.
    pub fn pass(self) {
        // The test may not care that somebody is inside.
        let _ = self.inside.send(());
        // What stands still must not take a thread of the runtime with it.
        let _ = tokio::task::block_in_place(|| self.go.recv());
    }
}
