//! How long what is done with is kept, and where it goes.

use std::path::PathBuf;
use std::sync::Arc;

use dipmo_archive::{Folder, Keeper, Policy};
use dipmo_config::Problems;
use dipmo_config::model::retention as model;
use dipmo_store::admin::Operable;

use super::problem::invalid;

/// What the file says.
pub(super) fn plan(section: Option<&model::Retention>, problems: &mut Problems) -> Policy {
    let Some(model::Retention { place: _, history, message_ids, archive }) = section else {
        return Policy::default();
    };
    if let (Some(history), Some(ids)) = (history, message_ids)
        && ids.value < history.value
    {
        let message = "ids are kept for a shorter time than the messages that have them";
        let hint = "a duplicate is recognised by its id: keep ids at least as long as the history";
        problems.push(invalid(ids.place, message).hint(hint).also(history.place, "the history"));
    }
    let archive = archive.as_ref().and_then(|archive| folder(archive, problems));
    Policy {
        history: history.map(|it| it.value),
        message_ids: message_ids.map(|it| it.value),
        archive,
    }
}

fn folder(archive: &model::Archive, problems: &mut Problems) -> Option<Folder> {
    let model::Archive { place: _, directory } = archive;
    if directory.expose().is_empty() {
        let hint = "name a directory that all instances share, such as /var/lib/dipmo/archive";
        problems.push(invalid(directory.place, "the directory has no name").hint(hint));
        return None;
    }
    Some(Folder::new(PathBuf::from(directory.expose())))
}

/// Whoever keeps to a policy, if there is something to do.
pub(super) fn keeper(policy: Policy, store: &Arc<dyn Operable>, owner: &str) -> Option<Keeper> {
    (!policy.is_idle()).then(|| Keeper::new(Arc::clone(store), policy, owner.to_owned()))
}
