//! Dead letters that came back: their messages go on before the offsets of the letters are stored.
//!
//! A crash in between has the letters read again, which changes nothing: a letter brings back the
//! failure that it was written for, and no later one. A database that fails over in between may have
//! forgotten what was brought back and takes the offsets all the same: so that is done once more
//! after them, which mostly changes nothing either.

use std::ops::Range;

use dipmo_domain::{Coded as _, StoreError};
use dipmo_inbox::{BroughtBack, Returned};

use crate::batch::Batch;
use crate::health::Subject;
use crate::storing::{GivenUp, Storing};

impl Storing {
    /// Brings back the letters of a batch. Those that nothing is known of are messages of the batch
    /// from then on, and so are those that somebody changed, which become incidents. Answers those
    /// whose messages go on.
    pub(crate) async fn bring_back(&self, batch: &mut Batch) -> Result<Vec<Returned>, GivenUp> {
        let letters = batch.take_letters();
        let answers = self.bring_all(&letters).await?;
        let mut go_on = Vec::new();
        for (place, (letter, answer)) in letters.into_iter().zip(answers).enumerate() {
            match answer {
                Ok(answer) => {
                    self.brought(batch, place, &letter, answer);
                    go_on.extend(goes_on(answer).then_some(letter));
                }
                // What it is decoded to was refused before, or is now: it stays as it is.
                Err(error) => self.left(&letter, "refused", &error.to_string()),
            }
        }
        Ok(go_on)
    }

    /// Brings letters back once more, after their offsets were stored.
    pub(crate) async fn bring_back_again(&self, letters: &[Returned]) -> Result<(), GivenUp> {
        let answers = self.bring_all(letters).await?;
        for (letter, _) in
            letters.iter().zip(answers).filter(|(_, it)| it.clone().is_ok_and(goes_on))
        {
            let (topic, id) = (&letter.message.topic, &letter.message.message_id);
            tracing::warn!(topic, id, "the database had forgotten what a dead letter brought back");
            self.shared.metrics.letter("again");
        }
        Ok(())
    }

    /// What became of each letter, or why the database refuses what it is decoded to.
    async fn bring_all(
        &self,
        letters: &[Returned],
    ) -> Result<Vec<Result<BroughtBack, StoreError>>, GivenUp> {
        let mut all = Vec::with_capacity(letters.len());
        let mut pieces: Vec<Range<usize>> = Vec::new();
        pieces.extend((!letters.is_empty()).then_some(0..letters.len()));
        while let Some(piece) = pieces.pop() {
            match self.bring(&letters[piece.clone()]).await {
                Ok(answers) => all.extend(answers.into_iter().map(Ok)),
                Err(GivenUp::Refused(_)) if piece.len() > 1 => {
                    let middle = piece.start + piece.len() / 2;
                    pieces.push(middle..piece.end);
                    pieces.push(piece.start..middle);
                }
                Err(GivenUp::Refused(error)) => all.push(Err(error)),
                Err(given_up) => return Err(given_up),
            }
        }
        Ok(all)
    }

    /// Tries until the database has done it, or refuses what one of them is decoded to.
    async fn bring(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, GivenUp> {
        let mut attempts = 0;
        loop {
            let error = match self.shared.inbox.bring_back(letters).await {
                Ok(answers) => {
                    self.shared.board.clear(&Subject::Store);
                    return Ok(answers);
                }
                Err(error) => error,
            };
            self.shared.metrics.store_failed(error.code().as_str());
            if matches!(error, StoreError::RowRefused { .. }) {
                return Err(GivenUp::Refused(error));
            }
            self.wait(&error, attempts).await?;
            attempts += 1;
        }
    }

    fn brought(&self, batch: &mut Batch, place: usize, letter: &Returned, answer: BroughtBack) {
        let metrics = &self.shared.metrics;
        match answer {
            BroughtBack::Retried(_) => metrics.letter("retried"),
            BroughtBack::Decoded(_) => metrics.letter("decoded"),
            BroughtBack::Left(_) => metrics.letter("left"),
            BroughtBack::Undecodable(_) => {
                self.left(letter, "undecodable", "it still cannot be decoded");
            }
            BroughtBack::Impostor(_) => {
                self.left(letter, "impostor", "its id is that of another message");
                metrics.change(|figures| figures.conflicts += 1);
            }
            BroughtBack::TooLate(_) => {
                let why = "a later message of its order key has been processed";
                self.left(letter, "too_late", why);
            }
            BroughtBack::Differs(_) => {
                self.left(letter, "differs", "its value is not that of the message");
                let mut message = letter.message.clone();
                // Under its first name it is seen to be another content.
                message.dedupe_key = letter.first;
                batch.add_letter(place, message);
            }
            BroughtBack::Unknown => {
                metrics.letter("new");
                batch.add_letter(place, letter.message.clone());
            }
        }
    }

    /// A letter that a person may wonder about.
    fn left(&self, letter: &Returned, fate: &'static str, why: &str) {
        let (topic, id) = (&letter.message.topic, &letter.message.message_id);
        tracing::warn!(topic, id, why, "a dead letter came back and its message is left as it is");
        self.shared.metrics.letter(fate);
    }
}

const fn goes_on(answer: BroughtBack) -> bool {
    matches!(answer, BroughtBack::Retried(_) | BroughtBack::Decoded(_))
}
