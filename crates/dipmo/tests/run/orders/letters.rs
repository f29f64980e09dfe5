//! What fails for good has a letter, and a letter is a new attempt.

use dipmo_kafka::testing::{self, ReadRecord};
use rdkafka::ClientConfig;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};
use serde_json::{Value, json};

use super::Shop;
use crate::service::{PATIENCE, Producer, Service, file};

/// As the example has it, with shorter waits: three retries, four attempts.
const OVERLAY: &str = "
engine: {retries: {inbox: {backoff: 'fixed(200ms, 3)'}}}
";

const LETTERS: &str = "select count(*) from outbox \
                       where status = 'DISPATCHED' and destination = 'KAFKA:order-requests-dlt'";
const ORDERS: &str = "select count(*) from orders";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_fails_goes_to_the_dead_letters_and_comes_back_from_there() {
    let shop = Shop::open().await;
    let brokers = &shop.kafka.bootstrap_servers;
    let producer = Producer::new(brokers);
    let order = |id: &str, product: &str, quantity: i64| {
        let request = json!({"orderId": id, "product": product, "quantity": quantity});
        producer.send("order-requests", id, &request);
    };
    producer.send("products", "P-1", &json!({"product": "P-1", "title": "A chair"}));
    producer.flush();
    let client = shop.database.client().await;
    let overlay = file("run-orders-letters.yaml", OVERLAY);
    let mut service = Service::start("orders", &overlay, &shop.variables("127.0.0.1:0"));
    service.until_at_least(&client, 1, "select count(*) from products").await;

    order("O-1", "P-1", 2);
    order("O-2", "P-2", 1);
    order("O-3", "P-1", 0);
    // No order is named.
    producer.send("order-requests", "O-4", &json!("garbage"));
    producer.flush();
    service.until_at_least(&client, 3, LETTERS).await;
    service.until_at_least(&client, 1, ORDERS).await;
    let letters = read(&shop, "order-requests-dlt");
    let mut told: Vec<_> = letters.iter().map(about).collect();
    told.sort();
    assert_eq!(
        told,
        [
            ("O-2".to_owned(), "PRODUCT_UNKNOWN".to_owned(), "4".to_owned()),
            ("O-3".to_owned(), "QUANTITY_INVALID".to_owned(), "1".to_owned()),
            ("O-4".to_owned(), "required-field-missing".to_owned(), "0".to_owned()),
        ]
    );
    let garbage = letters.iter().find(|letter| about(letter).0 == "O-4").unwrap();
    assert_eq!(garbage.value.as_deref(), Some(&b"\"garbage\""[..]), "the bytes that it was");

    // The product is there now: somebody sends the letter back.
    producer.send("products", "P-2", &json!({"product": "P-2", "title": "A table"}));
    producer.flush();
    service.until_at_least(&client, 2, "select count(*) from products").await;
    let letter = letters.iter().find(|letter| about(letter).0 == "O-2").unwrap();
    copy(brokers, letter, "order-requests-again");
    service.until_at_least(&client, 2, ORDERS).await;
    let confirmed = "select count(*) from outbox \
                     where status = 'DISPATCHED' and destination = 'KAFKA:order-processed'";
    service.until_at_least(&client, 2, confirmed).await;
    service.ends_well();
    let mut confirmations: Vec<Value> = read(&shop, "order-processed")
        .iter()
        .map(|record| serde_json::from_slice(record.value.as_ref().unwrap()).unwrap())
        .collect();
    confirmations.sort_by_key(|it| it["orderId"].to_string());
    assert_eq!(
        confirmations,
        [
            json!({"orderId": "O-1", "product": "P-1", "quantity": 2}),
            json!({"orderId": "O-2", "product": "P-2", "quantity": 1}),
        ]
    );
}

fn read(shop: &Shop, topic: &str) -> Vec<ReadRecord> {
    tokio::task::block_in_place(|| testing::read_to_end_of(&shop.kafka, topic))
}

/// Whom a letter is about, why it was written, and after how many attempts.
fn about(letter: &ReadRecord) -> (String, String, String) {
    let header = |name: &str| letter.headers.text(name).unwrap().to_owned();
    (header("dipmo-dlt-key"), header("dipmo-dlt-error-code"), header("dipmo-dlt-attempts"))
}

/// Value and headers, as any tool copies them.
fn copy(brokers: &str, letter: &ReadRecord, topic: &str) {
    let producer: ThreadedProducer<DefaultProducerContext> =
        ClientConfig::new().set("bootstrap.servers", brokers).create().unwrap();
    let headers = letter.headers.as_slice().iter().fold(OwnedHeaders::new(), |headers, header| {
        headers.insert(Header { key: &header.name, value: header.value.as_deref() })
    });
    let record = BaseRecord::<[u8], _>::to(topic).payload(letter.value.as_ref().unwrap());
    producer.send(record.headers(headers)).map_err(|error| error.0).unwrap();
    tokio::task::block_in_place(|| producer.flush(PATIENCE)).unwrap();
}
