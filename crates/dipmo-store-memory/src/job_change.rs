//! What becomes of a job.

use dipmo_domain::{StoreError, Timestamp};
use dipmo_outbox::{Job, JobId, JobMark, JobPhase, Lease};
use dipmo_store::JobChange;

use crate::job_tables::Part;
use crate::leases::{fenced, still_leased};
use crate::let_go::RELEASED_AT_ONCE;
use crate::outbox::OutboxTables;
use crate::release::let_units_go;

/// Changes a job under the leases of all its lanes.
pub(crate) fn change_job(
    outbox: &mut OutboxTables,
    id: JobId,
    leases: &[Lease],
    change: JobChange,
    now: Timestamp,
) -> Result<Job, StoreError> {
    let lanes = still_leased(outbox, leases)?;
    let job = outbox.jobs.get(id).filter(|job| job.phase != JobPhase::Ended).cloned();
    let job = job.filter(|_| outbox.jobs.lanes_of(id).all(|lane| lanes.contains(lane)));
    let job = job.ok_or_else(|| fenced(format!("job {id}")))?;
    let changed = match (job.phase, change) {
        (JobPhase::Sealed, JobChange::Made { remote }) => {
            Job { phase: JobPhase::Made, remote: Some(remote), phase_at: now, ..job }
        }
        (JobPhase::Made, JobChange::Afresh) => {
            Job { phase: JobPhase::Sealed, remote: None, phase_at: now, ..job }
        }
        (JobPhase::Made, JobChange::Given) => Job { phase: JobPhase::Given, phase_at: now, ..job },
        (_, JobChange::Released { behind }) => {
            release(outbox, id, behind, now);
            job
        }
        (_, JobChange::Ended) => {
            end(outbox, id, now)?;
            Job { phase: JobPhase::Ended, phase_at: now, ..job }
        }
        (phase, change) => {
            return Err(fenced(format!("job {id} is {}: no {change:?}", phase.as_str())));
        }
    };
    outbox.jobs.change(changed.clone());
    Ok(changed)
}

/// Lets the lanes of a job go, and what had to be held until then.
fn end(outbox: &mut OutboxTables, id: JobId, now: Timestamp) -> Result<(), StoreError> {
    if outbox.jobs.behind(id, None).next().is_some() {
        let problem = format!("job {id} cannot end while units are left in it");
        return Err(StoreError::RowRefused { statement: "change_job", problem });
    }
    let lanes = outbox.jobs.free(id);
    let mut keys = outbox.blocks.being_lifted();
    keys.retain(|key| lanes.contains(&key.lane()));
    let_units_go(outbox, &keys, RELEASED_AT_ONCE, now);
    Ok(())
}

fn release(outbox: &mut OutboxTables, id: JobId, behind: Option<JobMark>, now: Timestamp) {
    put_back(outbox, id, behind, now);
    let parts: Vec<Part> = outbox.jobs.behind(id, behind).collect();
    for part in parts {
        outbox.jobs.leave(part.id);
        set_free(outbox, part, now);
    }
}

/// Units that were put off are chunks again, and head nothing: earlier ones of their keys, which stayed
/// in the job, may leave it now, and due they would overtake those. Only behind the mark: for one
/// before it, later ones of its key that are left in the job have to wait.
fn put_back(outbox: &mut OutboxTables, id: JobId, behind: Option<JobMark>, now: Timestamp) {
    let lanes: Vec<_> = outbox.jobs.lanes_of(id).cloned().collect();
    for lane in lanes {
        let due: Vec<_> = outbox.exceptions.due(&lane, now).collect();
        for unit in due {
            let Some(row) = outbox.exceptions.get(unit).cloned() else { continue };
            let is_behind = behind.is_none_or(|JobMark(mark)| unit > mark);
            if row.attempts + row.retried > 0 || !is_behind || outbox.jobs.has(unit) {
                continue;
            }
            let heads = outbox.blocks.heads(&row, unit);
            outbox.exceptions.remove(unit);
            outbox.put_chunk(&lane, vec![unit]);
            if let Some(key) = row.key.filter(|_| heads) {
                outbox.blocks.end(&outbox.exceptions, &key);
            }
        }
    }
}

/// A chunk is ready and a unit that was due is due as they were. One that got a row of its own in
/// the job is a chunk of its own: due, it could overtake those of its key that are ready.
fn set_free(outbox: &mut OutboxTables, part: Part, now: Timestamp) {
    let row = outbox.exceptions.get(part.id).filter(|row| row.due.is_none()).cloned();
    let Some(mut row) = row else { return };
    if row.attempts + row.retried > 0 || outbox.blocks.heads(&row, part.id) {
        row.due = Some(now);
        outbox.exceptions.put(part.id, row);
    } else {
        outbox.exceptions.remove(part.id);
        outbox.put_chunk(&row.lane, vec![part.id]);
    }
}
