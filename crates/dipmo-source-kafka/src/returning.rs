//! Dead letters that came back: their messages go on before the offsets of the letters are stored.
//!
//! A crash in between has the letters read again, which changes nothing: a letter brings back the
//! failure that it was written for, and no later one.

use std::ops::Range;

use dipmo_domain::{Coded as _, StoreError};
use dipmo_inbox::{BroughtBack, Returned};

use crate::batch::Batch;
use crate::health::Subject;
use crate::storing::{GivenUp, Storing};

impl Storing {
    /// Brings back the letters of a batch. Those that nothing is known of are messages of the batch
    /// from then on, and so are those that somebody changed, which become incidents.
    pub(crate) async fn bring_back(&self, batch: &mut Batch) -> Result<(), GivenUp> {
        let letters = batch.take_letters();
        let mut pieces: Vec<Range<usize>> = Vec::new();
        pieces.extend((!letters.is_empty()).then_some(0..letters.len()));
        while let Some(piece) = pieces.pop() {
            match self.bring(&letters[piece.clone()]).await {
                Ok(answers) => {
                    for (place, answer) in piece.zip(answers) {
                        self.brought(batch, place, &letters[place], answer);
                    }
                }
                Err(GivenUp::Refused(_)) if piece.len() > 1 => {
                    let middle = piece.start + piece.len() / 2;
                    pieces.push(middle..piece.end);
                    pieces.push(piece.start..middle);
                }
                // What it is decoded to was refused before, or is now: it stays as it is.
                Err(GivenUp::Refused(error)) => {
                    self.left(&letters[piece.start], "refused", &error.to_string());
                }
                Err(given_up) => return Err(given_up),
            }
        }
        Ok(())
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
