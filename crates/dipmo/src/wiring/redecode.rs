//! Decoding stored messages once more, by the rules that the file has now.

use dipmo_inbound::Inbound;
use dipmo_inbox::{Message, NewMessage};
use dipmo_processing::operations::Redecode;

use super::Pipeline;

/// The rules of all sources of a file, whichever of them runs here.
#[derive(Clone)]
pub struct Decoders(Vec<Inbound>);

impl Pipeline {
    /// What decodes messages again.
    #[must_use]
    pub fn decoders(&self) -> Decoders {
        let kafka = self.sources.iter().map(|source| &source.inbound);
        let http = self.http.iter().map(|source| &source.inbound);
        Decoders(kafka.chain(http).cloned().collect())
    }
}

impl Redecode for Decoders {
    /// By the source that has rules for its topic. What no source reads any more is not decoded.
    fn decode_again(&self, message: &Message) -> Option<NewMessage> {
        let inbound = self.0.iter().find(|inbound| inbound.knows(&message.topic))?;
        inbound.reparse(message).ok().map(|decoded| decoded.message)
    }
}
