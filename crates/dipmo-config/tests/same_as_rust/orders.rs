//! Orders, and the products that can be ordered.

use dipmo_api::{FactRow, erase};
use dipmo_domain::Value as Cell;
use fastrand::Rng;
use orders::{OrderProcess, ProductProcess, Tables};
use serde_json::json;

use crate::pair::{Heard, Instance, Pair};

fn request(rng: &mut Rng) -> Heard {
    let product = rng.choice(["P-1", "P-1", "P-2"]).unwrap();
    let mut payload = json!({ "orderId": "I-1", "product": product, "quantity": rng.i64(-1..=2) });
    if rng.u8(..30) == 0 {
        payload = json!({ "orderId": "I-1", "product": product, "quantity": "two" });
    }
    heard("order-requests", "OrderRequested", payload)
}

fn listing(rng: &mut Rng) -> Heard {
    let title = rng.choice([None, Some("A chair"), Some("")]).unwrap();
    heard("products", "ProductListed", json!({ "product": "I-1", "title": title }))
}

fn heard(topic: &'static str, event: &'static str, payload: serde_json::Value) -> Heard {
    Heard { topic, event, version: None, source_version: None, payload }
}

/// A row of PRODUCTS, if there is one.
fn product(rng: &mut Rng) -> Vec<FactRow> {
    let row = FactRow::from([("PRODUCT", Cell::from("P-1")), ("TITLE", Cell::Null)]);
    rng.bool().then_some(row).into_iter().collect()
}

#[test]
fn orders_in_yaml_are_orders_in_rust() {
    let pair = Pair::new(erase(OrderProcess::new(Tables::default())), "orders");
    let mut rng = Rng::with_seed(10);
    let mut steps = 0;
    for _ in 0..3_000 {
        let mut instance = Instance::default();
        for _ in 0..8 {
            let known = product(&mut rng);
            let request = request(&mut rng);
            steps += u32::from(pair.hear(&mut instance, &request, |_| known.clone()));
        }
    }
    assert!(steps > 2_000, "only {steps} steps");
}

#[test]
fn products_in_yaml_are_products_in_rust() {
    let pair = Pair::new(erase(ProductProcess::new(Tables::default())), "orders");
    let mut rng = Rng::with_seed(11);
    let mut instance = Instance::default();
    for _ in 0..100 {
        assert!(pair.hear(&mut instance, &listing(&mut rng), |_| Vec::new()));
    }
}
