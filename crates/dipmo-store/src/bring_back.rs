//! Bringing dead letters back, by what operators can do: the same for every store.

use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_inbox::{BroughtBack, Returned};

use crate::{Acted, Failed, Inspect, MOST_AT_ONCE, Operate, Reparsed};

/// What [`Inbox::bring_back`](dipmo_inbox::Inbox::bring_back) does in a store. Not one transaction:
/// each step can be repeated, so whoever does not hear the end of it does all of it again.
///
/// # Errors
/// As the store.
pub async fn bring_back<S: Inspect + Operate + ?Sized>(
    store: &S,
    letters: &[Returned],
) -> Result<Vec<BroughtBack>, StoreError> {
    let mut answers = Vec::with_capacity(letters.len());
    for letters in letters.chunks(MOST_AT_ONCE) {
        answers.extend(bring_some(store, letters).await?);
    }
    Ok(answers)
}

async fn bring_some<S: Inspect + Operate + ?Sized>(
    store: &S,
    letters: &[Returned],
) -> Result<Vec<BroughtBack>, StoreError> {
    let keys: Vec<_> = letters.iter().map(|letter| letter.first).collect();
    let known = store.known(&keys).await?;
    let mut answers: Vec<BroughtBack> = letters
        .iter()
        .zip(known)
        .map(|(letter, known)| match known {
            None => BroughtBack::Unknown,
            Some(known) if known.content != letter.message.content => {
                BroughtBack::Differs(known.message)
            }
            Some(known) => BroughtBack::Left(known.message),
        })
        .collect();
    let undecoded = retry(store, letters, &mut answers).await?;
    if !undecoded.is_empty() {
        decode(store, letters, &undecoded, &mut answers).await?;
    }
    Ok(answers)
}

/// Retries what failed; answers the places of what could not be decoded.
async fn retry<S: Operate + ?Sized>(
    store: &S,
    letters: &[Returned],
    answers: &mut [BroughtBack],
) -> Result<Vec<(usize, InboxId)>, StoreError> {
    let (places, failed): (Vec<usize>, Vec<Failed>) = letters
        .iter()
        .zip(&*answers)
        .enumerate()
        .filter_map(|(place, (letter, answer))| match answer {
            BroughtBack::Left(message) => {
                Some((place, Failed { message: *message, retried: letter.retried }))
            }
            _ => None,
        })
        .unzip();
    if failed.is_empty() {
        return Ok(Vec::new());
    }
    let acts = store.retry_failed(&failed).await?.acts;
    let mut undecoded = Vec::new();
    for ((place, failed), act) in places.into_iter().zip(failed).zip(acts) {
        match act {
            Acted::Done => answers[place] = BroughtBack::Retried(failed.message),
            Acted::WrongStatus(InboxStatus::SerdeError) => undecoded.push((place, failed.message)),
            // Not found is a message that ended long ago, and whose row is history.
            _ => {}
        }
    }
    Ok(undecoded)
}

async fn decode<S: Operate + ?Sized>(
    store: &S,
    letters: &[Returned],
    undecoded: &[(usize, InboxId)],
    answers: &mut [BroughtBack],
) -> Result<(), StoreError> {
    let decoded: Vec<_> =
        undecoded.iter().map(|(place, id)| (*id, letters[*place].message.clone())).collect();
    let reparsed = store.reparse(&decoded, false).await?;
    for ((place, id), reparsed) in undecoded.iter().zip(reparsed) {
        answers[*place] = match reparsed {
            Reparsed::Done | Reparsed::Duplicate(_) => BroughtBack::Decoded(*id),
            Reparsed::Undecodable => BroughtBack::Undecodable(*id),
            Reparsed::Conflict { .. } => BroughtBack::TooLate(*id),
            Reparsed::WrongStatus(_) | Reparsed::NotFound => BroughtBack::Left(*id),
        };
    }
    Ok(())
}
