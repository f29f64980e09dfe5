//! Bringing dead letters back, by what operators can do: the same for every store.

use dipmo_domain::{InboxId, StoreError};
use dipmo_inbox::{BroughtBack, Ended, Returned};

use crate::{Acted, Decoded, Failed, Inspect, Known, MOST_AT_ONCE, Operate, Reparsed};

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
    let mut answers = Vec::with_capacity(letters.len());
    let (mut failed, mut undecoded) = (Vec::new(), Vec::new());
    for (place, (letter, known)) in letters.iter().zip(known).enumerate() {
        answers.push(match known {
            None => BroughtBack::Unknown,
            Some(known) if known.content != letter.message.content => {
                BroughtBack::Differs(known.message)
            }
            Some(Known { message, .. }) => {
                match letter.ended {
                    Ended::Failed { retried } => failed.push((place, Failed { message, retried })),
                    Ended::Undecodable => undecoded.push((place, message)),
                }
                BroughtBack::Left(message)
            }
        });
    }
    retry(store, &failed, &mut answers).await?;
    decode(store, letters, &undecoded, &mut answers).await?;
    Ok(answers)
}

/// Retries what failed. What is not found has ended long ago, and its row is history.
async fn retry<S: Operate + ?Sized>(
    store: &S,
    places: &[(usize, Failed)],
    answers: &mut [BroughtBack],
) -> Result<(), StoreError> {
    if places.is_empty() {
        return Ok(());
    }
    let failed: Vec<Failed> = places.iter().map(|(_, failed)| *failed).collect();
    let acts = store.retry_failed(&failed).await?.acts;
    for ((place, failed), act) in places.iter().zip(acts) {
        match act {
            Acted::Done => answers[*place] = BroughtBack::Retried(failed.message),
            Acted::Overtaken { .. } => answers[*place] = BroughtBack::TooLate(failed.message),
            _ => {}
        }
    }
    Ok(())
}

/// Takes what could not be decoded as what it is decoded to now.
async fn decode<S: Operate + ?Sized>(
    store: &S,
    letters: &[Returned],
    places: &[(usize, InboxId)],
    answers: &mut [BroughtBack],
) -> Result<(), StoreError> {
    if places.is_empty() {
        return Ok(());
    }
    let decoded: Vec<Decoded> =
        places.iter().map(|(place, id)| (*id, letters[*place].message.clone())).collect();
    let reparsed = store.reparse(&decoded, false).await?;
    for ((place, id), reparsed) in places.iter().zip(reparsed) {
        answers[*place] = match reparsed {
            Reparsed::Done | Reparsed::Duplicate(_) => BroughtBack::Decoded(*id),
            Reparsed::Impostor(_) => BroughtBack::Impostor(*id),
            Reparsed::Undecodable => BroughtBack::Undecodable(*id),
            Reparsed::Conflict { .. } => BroughtBack::TooLate(*id),
            Reparsed::WrongStatus(_) | Reparsed::NotFound => BroughtBack::Left(*id),
        };
    }
    Ok(())
}
