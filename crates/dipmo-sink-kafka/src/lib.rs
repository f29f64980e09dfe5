//! Kafka out: a publisher that settles by delivery report.
