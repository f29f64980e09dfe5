//! The thread outlives panics and callers, and ends with its last handle.

use super::*;
use std::time::Duration;

async fn worker() -> Worker {
    let open = || Ok(Connection::open_in_memory().unwrap());
    Worker::start("test", Arc::new(Place::Memory), open).await.unwrap()
}

#[tokio::test]
async fn a_panic_is_passed_on_and_the_thread_lives() {
    let worker = worker().await;
    let other = worker.clone();
    let panicking = tokio::spawn(async move {
        other.call(|_| -> Result<(), StoreError> { panic!("on purpose") }).await
    });
    assert_eq!(panicking.await.unwrap_err().into_panic().downcast_ref(), Some(&"on purpose"));
    assert_eq!(worker.call(|_| Ok(7)).await, Ok(7));
}

#[tokio::test]
async fn a_value_that_panics_when_dropped_does_not_end_the_thread() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("on purpose");
        }
    }
    let worker = worker().await;
    let (begun, wait_for_begin) = oneshot::channel::<()>();
    let (go_on, wait_to_go_on) = channel::<()>();
    let call = worker.call(move |_| {
        begun.send(()).unwrap();
        wait_to_go_on.recv().unwrap();
        Ok(Bomb)
    });
    tokio::select! {
        _ = call => unreachable!("it waits"),
        begun = wait_for_begin => begun.unwrap(),
    }
    go_on.send(()).unwrap();
    assert_eq!(worker.call(|_| Ok(7)).await, Ok(7));
}

#[tokio::test]
async fn a_caller_that_left_before_its_turn_changes_nothing() {
    let worker = worker().await;
    let (go_on, wait) = channel::<()>();
    let other = worker.clone();
    let first = tokio::spawn(async move { other.call(move |_| Ok(wait.recv())).await });
    tokio::task::yield_now().await;
    let ran = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = Arc::clone(&ran);
    let second = worker.call(move |_| {
        seen.store(true, std::sync::atomic::Ordering::SeqCst);
        Ok(())
    });
    drop(tokio::time::timeout(Duration::ZERO, second).await);
    go_on.send(()).unwrap();
    first.await.unwrap().unwrap().unwrap();
    worker.call(|_| Ok(())).await.unwrap();
    assert!(!ran.load(std::sync::atomic::Ordering::SeqCst));
}

#[tokio::test]
async fn the_thread_ends_with_the_last_handle() {
    let worker = worker().await;
    let (ended, end) = oneshot::channel::<()>();
    let guard = Guard(Some(ended));
    worker
        .call(move |_| {
            KEPT.with(|kept| kept.set(Some(guard)));
            Ok(())
        })
        .await
        .unwrap();
    drop(worker.clone());
    drop(worker);
    end.await.unwrap();
}

thread_local! {
    static KEPT: std::cell::Cell<Option<Guard>> = const { std::cell::Cell::new(None) };
}

/// Tells when the thread that keeps it ends.
struct Guard(Option<oneshot::Sender<()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(ended) = self.0.take() {
            ended.send(()).unwrap();
        }
    }
}
