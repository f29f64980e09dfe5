//! Kafka in: stores, then commits.
