//! The tables that both processes share.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};

/// ORDERS and PRODUCTS.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(crate) orders: Arc<DomainTable>,
    pub(crate) products: Arc<DomainTable>,
}

impl Default for Tables {
    fn default() -> Self {
        let (orders, products) = (Arc::new(orders()), Arc::new(products()));
        Self { orders, products }
    }
}

/// One row for each order.
fn orders() -> DomainTable {
    DomainTable {
        name: "ORDERS",
        columns: vec![
            Column::new("ORDER_ID", ColumnKind::Text(200)).required(),
            Column::new("PRODUCT", ColumnKind::Text(200)).required(),
            Column::new("QUANTITY", ColumnKind::Integer).required(),
            Column::new("STATUS", ColumnKind::Text(30)).required(),
        ],
        key: vec!["ORDER_ID"],
        version: None,
    }
}

/// What can be ordered.
fn products() -> DomainTable {
    DomainTable {
        name: "PRODUCTS",
        columns: vec![
            Column::new("PRODUCT", ColumnKind::Text(200)).required(),
            Column::new("TITLE", ColumnKind::Text(200)),
        ],
        key: vec!["PRODUCT"],
        version: None,
    }
}
