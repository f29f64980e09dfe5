//! So many items a second.

use std::time::Duration;

use dipmo_processing::operations::Conclusion;
use dipmo_store::admin::{Operation, OperationState};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

#[tokio::test(start_paused = true)]
async fn a_rate_holds_at_every_moment_and_is_used_up() {
    for (rate, messages) in [(1, 5), (7, 20), (40, 200)] {
        let rig = Rig::failed(messages).await;
        let id = rig.retry_all(Some(rate)).await;
        let (began, mut steps) = (Instant::now(), Vec::new());
        let progress = |it: &Operation| steps.push((began.elapsed(), it.met));
        let mut performer = rig.performer("one");
        let concluded = performer.perform_one(id, progress, CancellationToken::new()).await;
        let Ok(Conclusion::Over(operation)) = concluded else { panic!("{concluded:?}") };
        assert_eq!(operation.state, OperationState::Ended);
        let took = began.elapsed();
        let all = Duration::from_secs(u64::try_from(messages).unwrap()) / rate;
        let a_batch = Duration::from_secs(1);
        assert!(took + a_batch >= all && took <= all, "{rate} a second: {took:?} of {all:?}");
        for (elapsed, met) in &steps {
            // What is told after a rest was done before it.
            let allowed = elapsed.as_secs_f64() * f64::from(rate) + f64::from(rate.div_ceil(2));
            assert!(f64::from(u32::try_from(*met).unwrap()) <= allowed, "{rate}: {steps:?}");
        }
    }
}
