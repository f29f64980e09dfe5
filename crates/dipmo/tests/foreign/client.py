"""confluent-kafka as a test uses it: a record a line, its bytes in hex.

client.py produce BROKERS TOPIC          records from standard input
client.py consume BROKERS TOPIC COUNT    records to standard output
"""

import json
import sys

from confluent_kafka import Consumer, Producer, TopicPartition


def to_bytes(text):
    return None if text is None else bytes.fromhex(text)


def to_hex(value):
    if isinstance(value, str):
        value = value.encode()
    return None if value is None else value.hex()


def produce(brokers, topic):
    def delivered(error, _):
        if error is not None:
            sys.exit(f"not delivered: {error}")

    producer = Producer({"bootstrap.servers": brokers, "acks": "all"})
    for line in sys.stdin:
        record = json.loads(line)
        producer.produce(
            topic,
            key=to_bytes(record["key"]),
            value=to_bytes(record["value"]),
            headers=[(name, to_bytes(value)) for name, value in record["headers"]],
            on_delivery=delivered,
        )
    if producer.flush(60) > 0:
        sys.exit("not everything was delivered in time")


def consume(brokers, topic, count):
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "none", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    for _ in range(count):
        record = consumer.poll(60)
        if record is None or record.error():
            sys.exit(f"no record: {record and record.error()}")
        headers = [[name, to_hex(value)] for name, value in record.headers() or []]
        key, value = to_hex(record.key()), to_hex(record.value())
        print(json.dumps({"key": key, "value": value, "headers": headers}))
    consumer.close()


if __name__ == "__main__":
    what, brokers, topic, *count = sys.argv[1:]
    if what == "produce":
        produce(brokers, topic)
    else:
        consume(brokers, topic, int(count[0]))
