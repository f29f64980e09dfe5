//! What people want of archives: that they are looked at, and that they come back.

use dipmo_store::admin::{Lot, LotAnswer, LotFiles, LotState, Wish};
use tokio_util::sync::CancellationToken;

use crate::keeper::Held;
use crate::manifest::Manifest;
use crate::read::{self, Rows};
use crate::round::blocking;
use crate::{ArchiveError, Folder, Keeper};

/// How many wishes are looked at in one go.
const WISHES: u32 = 10;
/// How many rows are put back at once.
const PAGE: usize = 200;

impl Keeper {
    /// Does what is wanted, one after the other.
    pub(crate) async fn wishes(
        &self,
        held: &mut Held,
        stop: &CancellationToken,
    ) -> Result<(), ArchiveError> {
        for lot in self.store.wished_lots(WISHES).await? {
            let (Some(wish), Some(files)) = (lot.wish, lot.files.clone()) else { continue };
            let answer = match self.grant(held, &lot, wish, files, stop).await {
                Ok(Some(answer)) => answer,
                // It is stopped, or not dropped yet: the wish stands.
                Ok(None) => continue,
                Err(error @ ArchiveError::Damaged { .. }) => LotAnswer::Damaged(error.to_string()),
                Err(error) => return Err(error),
            };
            tracing::info!(
                lot = lot.id.0,
                wish = wish.as_str(),
                ?answer,
                "an archive was looked at"
            );
            self.store.answer_wish(&held.lease, lot.id, &answer).await?;
        }
        Ok(())
    }

    async fn grant(
        &self,
        held: &mut Held,
        lot: &Lot,
        wish: Wish,
        files: LotFiles,
        stop: &CancellationToken,
    ) -> Result<Option<LotAnswer>, ArchiveError> {
        let Some(folder) = self.policy.archive.clone() else {
            let problem = "the instance that keeps history has no `retention.archive`".to_owned();
            return Err(ArchiveError::Damaged { path: files.directory, problem });
        };
        let id = lot.id;
        let (place, of, stopped) = (folder.clone(), files.clone(), stop.clone());
        let read = move || read::verify(&place, id, &of, &stopped);
        let Some(manifest) = self.alive(held, read).await? else { return Ok(None) };
        match wish {
            Wish::Verify => Ok(Some(LotAnswer::Sound)),
            Wish::Restore { .. } if lot.state != LotState::Dropped => Ok(None),
            Wish::Restore { hold } => {
                let restored = self.restore(held, &folder, &files, &manifest, stop).await?;
                Ok(restored.then_some(LotAnswer::Restored { hold }))
            }
        }
    }

    /// Puts all rows back; false when it was stopped.
    async fn restore(
        &self,
        held: &mut Held,
        folder: &Folder,
        files: &LotFiles,
        manifest: &Manifest,
        stop: &CancellationToken,
    ) -> Result<bool, ArchiveError> {
        for entry in &manifest.files {
            let (place, of, entry) = (folder.clone(), files.clone(), entry.clone());
            let (part, mut rows) = blocking(move || Rows::open(&place, &of, &entry)).await?;
            loop {
                let page;
                (page, rows) = blocking(move || rows.next(PAGE).map(|page| (page, rows))).await?;
                if page.is_empty() {
                    break;
                }
                self.store.restore_rows(&held.lease, part, &page).await?;
                self.says(held).await?;
                if stop.is_cancelled() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
