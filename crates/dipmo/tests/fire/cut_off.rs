//! A database that ends every session again and again, as a restart or a fail-over does.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::parts::child::journal;
use crate::parts::engine::{Running, journaling};
use crate::parts::folder::Folder;
use crate::parts::load::Load;
use crate::parts::place::Place;
use crate::parts::{books, deliveries};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn engines_survive_a_database_that_cuts_them_off() {
    let (place, folder) = (Place::postgres().await, Folder::new());
    let mut engines = Vec::new();
    for _ in 0..2 {
        let engine = journaling(place.store().await, &journal(&folder));
        engines.push(Running::start(engine));
    }
    let stop = CancellationToken::new();
    let (store, look) = (place.store().await, place.look().await);
    let cut = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
               where datname = current_database() and application_name = 'dipmo'";
    let cutting = async {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(4) {
            tokio::time::sleep(Duration::from_millis(100)).await;
            look.rows(cut).await;
        }
        stop.cancel();
    };
    let storing = Load::new(100).keep_storing(&*store, &look, &stop);
    let (sent, ()) = tokio::join!(storing, cutting);
    books::until_drained(&place).await;
    for engine in engines {
        let errors = engine.metrics.snapshot().store_errors;
        assert!(!errors.is_empty(), "nobody was cut off");
        engine.stop().await;
    }
    books::check(&place, &sent).await;
    deliveries::check_both(&deliveries::read(&journal(&folder)), &sent);
}
