//! A round: all that is too old goes, lot by lot or month by month.

use std::time::Duration;

use dipmo_domain::Month;
use dipmo_store::admin::{Lot, LotFiles, LotPart, LotState};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::keeper::{Held, before, first_month, rests};
use crate::write::Writer;
use crate::{ArchiveError, Folder, Keeper, read};

/// How many rows go at once where a store goes by rows.
const ROWS: u32 = 1_000;
/// How many rows are read at once to be written: they may be large.
const PAGE: u32 = 200;
/// How often whoever works with files for long says that the duty is still theirs.
const STILL: Duration = Duration::from_secs(5);
/// The rest between two portions: others want the database too.
const REST: Duration = Duration::from_millis(200);

impl Keeper {
    /// Drops what is too old, until nothing is left or it is stopped.
    pub(crate) async fn round(
        &self,
        held: &mut Held,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        let now = self.store.now().await?;
        if let Some(kept) = self.policy.history {
            let month = first_month(now, kept);
            let held_month = self.store.held_month().await?;
            let month = held_month.map_or(month, |held_month| held_month.min(month));
            match &self.policy.archive {
                Some(folder) => self.archive(folder, held, month, stop).await?,
                None => self.drop_months(held, month, stop).await?,
            }
        }
        if let Some(time) = self.policy.message_ids.map(|kept| before(now, kept)) {
            while self.store.forget_ids_before(time, ROWS).await?.more && rests(REST, stop).await {
                self.says(held).await?;
            }
        }
        Ok(())
    }

    /// Without an archive: portion by portion.
    async fn drop_months(
        &self,
        held: &mut Held,
        month: Month,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        // One at most is on its way, and it is the newest.
        let lots = self.store.lots(None, 1).await?;
        if let Some(lot) = lots.iter().find(|lot| lot.state != LotState::Dropped) {
            return Err(ArchiveError::Nowhere { lot: lot.id.0 });
        }
        let mut rows = 0;
        loop {
            let pruned = self.store.drop_before(month, ROWS).await?;
            rows += pruned.rows;
            if !pruned.more || !rests(REST, stop).await {
                break;
            }
            self.says(held).await?;
        }
        if rows > 0 {
            tracing::info!(rows, before = %month, "history was dropped");
        }
        Ok(())
    }

    /// With one: lot by lot, each as far as it is not yet.
    async fn archive(
        &self,
        folder: &Folder,
        held: &mut Held,
        month: Month,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        while let Some(lot) = self.store.set_aside(&held.lease, month, ROWS).await? {
            match (lot.state, &lot.files) {
                (LotState::Aside, _) => self.write(folder, held, &lot, stop).await?,
                (LotState::Archived, Some(files)) => {
                    self.drop_lot(folder, held, &lot, files, stop).await?;
                }
                // It is filling, portion by portion.
                _ => {
                    rests(REST, stop).await;
                }
            }
            self.says(held).await?;
            if stop.is_cancelled() {
                return Ok(());
            }
        }
        while self.store.tidy_history(&held.lease, month, ROWS).await?.more
            && rests(REST, stop).await
        {
            self.says(held).await?;
        }
        Ok(())
    }

    /// Writes all rows of a lot; one that was begun before is begun again.
    async fn write(
        &self,
        folder: &Folder,
        held: &mut Held,
        lot: &Lot,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        let name = Folder::name_of(lot, held.lease.epoch);
        let begun = folder.clone();
        let mut writer = blocking(move || Writer::begin(&begun, name)).await?;
        for part in LotPart::of(lot.side) {
            let mut behind = 0;
            loop {
                let began = Instant::now();
                let rows = self.store.lot_rows(lot.id, *part, behind, PAGE).await?;
                let Some(last) = rows.last() else { break };
                behind = last.id;
                writer = blocking(move || writer.add(*part, &rows).map(|()| writer)).await?;
                self.says(held).await?;
                // As long a rest as the work was: the pipeline beside it is to notice little.
                if !rests(began.elapsed().min(REST), stop).await {
                    return Ok(());
                }
            }
        }
        let (written, stopped) = (lot.clone(), stop.clone());
        let ended = self.alive(held, move || writer.end(&written, &stopped)).await?;
        let Some(files) = ended else { return Ok(()) };
        self.store.lot_archived(&held.lease, lot.id, &files).await?;
        tracing::info!(
            lot = lot.id.0,
            month = %lot.month,
            side = lot.side.as_str(),
            rows = files.rows,
            records = files.records,
            bytes = files.bytes,
            "history was archived"
        );
        folder.forget_others(lot, &files.directory);
        Ok(())
    }

    /// Drops the rows of a lot whose files stand.
    async fn drop_lot(
        &self,
        folder: &Folder,
        held: &mut Held,
        lot: &Lot,
        files: &LotFiles,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        let (folder, id, files) = (folder.clone(), lot.id, files.clone());
        blocking(move || read::stands(&folder, id, &files)).await?;
        let mut rows = 0;
        loop {
            let pruned = self.store.drop_lot(&held.lease, lot.id, ROWS).await?;
            rows += pruned.rows;
            if !pruned.more {
                break;
            }
            if !rests(REST, stop).await {
                return Ok(());
            }
            self.says(held).await?;
        }
        tracing::info!(lot = id.0, month = %lot.month, rows, "archived history was dropped");
        Ok(())
    }

    /// Does something that may take long, and says meanwhile that the duty is still ours.
    pub(crate) async fn alive<T: Send + 'static>(
        &self,
        held: &mut Held,
        act: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, ArchiveError> {
        let mut working = Box::pin(blocking(act));
        loop {
            match timeout(STILL, &mut working).await {
                Ok(done) => return done,
                Err(_) => self.says(held).await?,
            }
        }
    }
}

/// Does something with files where it keeps nobody waiting.
pub(crate) async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
) -> Result<T, ArchiveError> {
    let ended = spawn_blocking(act).await;
    ended.unwrap_or_else(|error| {
        Err(ArchiveError::Unwritable { path: "the archive".to_owned(), problem: error.to_string() })
    })
}
