//! The process of this suite: an event names contacts, which are written and sent on.

use std::sync::Arc;

use dipmo_api::table::DomainTable;
use dipmo_api::{
    Context, Description, Effect, Process, Registry, RegistryError, Transition, events, states,
};
use dipmo_domain::{Destination, Failure, RecordKey};
use serde::Deserialize;
use serde_json::json;

use super::contacts;

/// Where the events come from.
pub(super) const TOPIC: &str = "contacts";

/// The event.
pub(super) const CHANGED: &str = "ContactsChanged";

states! {
    /// What is known of the contacts of an event.
    pub(crate) enum ImportState {
        /// Nothing.
        Awaited = "AWAITED",
        /// They are written, and on their way.
        Sent = "SENT",
    }
    initial Awaited;
    Awaited => Sent;
}

events! {
    /// What happens to contacts.
    pub(crate) enum ImportEvent {
        /// They changed together.
        Changed(Changed) = "ContactsChanged" v1,
    }
}

/// Contacts that changed.
#[derive(Deserialize)]
pub(crate) struct Changed {
    /// How they are to be sent.
    api: String,
    version: i64,
    ids: Vec<String>,
}

struct Import {
    contacts: Arc<DomainTable>,
}

impl Process for Import {
    const NAME: &'static str = "IMPORT";
    type State = ImportState;
    type Event = ImportEvent;
    type Data = ();

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_IMPORT_STATE").domain_table(&self.contacts).subscribe(TOPIC)
    }

    fn decide(
        &self,
        _: &ImportState,
        ImportEvent::Changed(changed): &ImportEvent,
        _: &Context<'_, ()>,
    ) -> Transition<ImportState, ()> {
        let Changed { api, version, ids } = changed;
        let destination = format!("HTTP:SFDC:{api}:{}", contacts::OBJECT).parse::<Destination>();
        let destination = match destination {
            Ok(destination) => destination,
            Err(error) => return Transition::reject(Failure::new("API", &error.to_string())),
        };
        let rows = ids.iter().map(|id| contacts::row(&self.contacts, id, *version));
        let step = Transition::advance(ImportState::Sent);
        let step = rows.fold(step, dipmo_api::Advance::write);
        let effect = Effect::new(destination, "ContactsUpsertRequested")
            .records(ids.iter().cloned().map(RecordKey))
            .payload(&json!({ "asOfVersion": version }));
        step.effect(effect).into()
    }
}

/// The registry of this suite.
pub(super) fn registry() -> Result<Arc<Registry>, RegistryError> {
    Ok(Arc::new(Registry::new().process(Import { contacts: contacts::table() })?))
}
