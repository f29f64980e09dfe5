//! How to reach a broker, and what its errors mean.
