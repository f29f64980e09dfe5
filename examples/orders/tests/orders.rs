//! Every step of an order and of a product, and every event that comes twice.

use dipmo_api::Stay;
use dipmo_api::testing::{Scenario, TestMessage, explore, given};
use orders::{OrderData, OrderProcess, OrderState, ProductProcess, ProductState, Tables};
use serde_json::json;

fn order() -> Scenario<OrderProcess> {
    given(OrderProcess::new(Tables::default())).instance("O-1")
}

fn of_a_listed_product() -> Scenario<OrderProcess> {
    order().fact("product", "P-1", [("PRODUCT", "P-1".into())])
}

fn processed() -> Scenario<OrderProcess> {
    let data = OrderData { product: Some("P-1".to_owned()), quantity: Some(2) };
    of_a_listed_product().state(OrderState::Processed).data(data)
}

fn request(quantity: i64) -> TestMessage {
    let payload = json!({ "orderId": "O-1", "product": "P-1", "quantity": quantity });
    TestMessage::new("OrderRequested", payload)
}

#[test]
fn an_order_is_a_row_and_a_confirmation() {
    of_a_listed_product()
        .when_message(&request(2))
        .then_path(&[OrderState::Processed])
        .then_writes(&["upsert ORDERS O-1"])
        .then_column("ORDERS", "QUANTITY", 2)
        .then_effects(&["KAFKA:order-processed OrderProcessed"])
        .then_payload(
            "OrderProcessed",
            json!({ "orderId": "O-1", "product": "P-1", "quantity": 2 }),
        )
        .when_message(&request(2))
        .then_stays(Stay::Duplicate);
}

#[test]
fn a_product_that_is_not_listed_yet_is_waited_for() {
    order().when_message(&request(2)).then_retried("PRODUCT_UNKNOWN");
    order()
        .fact("product", "P-2", [("PRODUCT", "P-2".into())])
        .when_message(&request(2))
        .then_retried("PRODUCT_UNKNOWN");
}

#[test]
fn what_makes_no_sense_is_refused_at_once() {
    for quantity in [0, -1, i64::MIN] {
        order().when_message(&request(quantity)).then_rejected("QUANTITY_INVALID");
    }
}

#[test]
fn an_order_does_not_change_once_it_was_processed() {
    processed().when_message(&request(2)).then_stays(Stay::Duplicate);
    for quantity in [3, 0] {
        processed().when_message(&request(quantity)).then_rejected("ORDER_CHANGED");
    }
}

#[test]
fn a_product_is_listed_and_gets_another_title() {
    let listed = |title: &str| {
        TestMessage::new("ProductListed", json!({ "product": "P-1", "title": title }))
    };
    given(ProductProcess::new(Tables::default()))
        .instance("P-1")
        .when_message(&listed("A chair"))
        .then_path(&[ProductState::Listed])
        .then_column("PRODUCTS", "TITLE", "A chair")
        .when_message(&listed("An armchair"))
        .then_column("PRODUCTS", "TITLE", "An armchair")
        .then_effects(&[]);
}

#[test]
fn no_order_of_events_breaks_a_rule() {
    explore(of_a_listed_product(), &[request(2), request(2), request(3), request(0)])
        .then_every_edge_was_taken();
}
