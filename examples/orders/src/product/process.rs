//! The process itself: the last title counts.

use std::sync::Arc;

use dipmo_api::{Context, Description, DomainWrite, Process, Transition};
use serde::{Deserialize, Serialize};

use super::{ProductEvent, ProductState};
use crate::Tables;

/// What can be ordered, as the shop lists it.
pub struct ProductProcess {
    tables: Tables,
}

/// A product remembers nothing: the table has it all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductData {}

impl ProductProcess {
    /// On these tables.
    #[must_use]
    pub const fn new(tables: Tables) -> Self {
        Self { tables }
    }
}

impl Process for ProductProcess {
    const NAME: &'static str = "PRODUCT";
    type State = ProductState;
    type Event = ProductEvent;
    type Data = ProductData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_PRODUCT_STATE")
            .domain_table(&self.tables.products)
            .subscribe_to("products", ["ProductListed"])
    }

    fn decide(
        &self,
        _: &ProductState,
        event: &ProductEvent,
        context: &Context<'_, ProductData>,
    ) -> Transition<ProductState, ProductData> {
        let ProductEvent::ProductListed(listed) = event;
        let row = DomainWrite::upsert(Arc::clone(&self.tables.products))
            .set("PRODUCT", context.instance_id())
            .set("TITLE", listed.title.clone());
        Transition::advance(ProductState::Listed).write(row).into()
    }
}
