//! Why rows failed, each reason once: 200,000 rows may fail for the same one.

use std::collections::HashMap;

use dipmo_domain::cut_to_bytes;
use dipmo_salesforce::RowError;

use super::keys::KeyHash;

/// So many bytes of messages are kept whole. Messages may name values of their rows, so that there
/// can be as many as rows.
const WHOLE_BYTES: usize = 8 * 1024 * 1024;

/// What is kept of each further message.
const CUT_BYTES: usize = 100;

/// The reasons of a job.
#[derive(Debug, Default)]
pub(super) struct Texts {
    errors: Vec<RowError>,
    places: HashMap<KeyHash, u32>,
    bytes: usize,
}

/// Where a reason stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextRef(u32);

impl Texts {
    pub(super) fn add(&mut self, mut error: RowError) -> TextRef {
        let RowError { code, message, fields } = &error;
        let hash = KeyHash::exact(&format!("{code}\0{message}\0{}", fields.join(",")));
        if let Some(place) = self.places.get(&hash) {
            return TextRef(*place);
        }
        if self.bytes > WHOLE_BYTES {
            error.message = cut_to_bytes(&error.message, CUT_BYTES);
        }
        self.bytes += error.message.len();
        let place = u32::try_from(self.errors.len()).unwrap_or(u32::MAX);
        self.errors.push(error);
        self.places.insert(hash, place);
        TextRef(place)
    }

    pub(super) fn get(&self, TextRef(place): TextRef) -> Option<&RowError> {
        self.errors.get(place as usize)
    }
}
