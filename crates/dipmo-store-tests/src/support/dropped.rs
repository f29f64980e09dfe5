//! Futures that are dropped in the middle, as a time-out or a shutdown drops them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Polls a future at most so many times, then drops it; `None` when it did not end by then.
pub async fn polled_at_most<T>(times: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
