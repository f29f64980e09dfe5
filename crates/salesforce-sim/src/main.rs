//! The simulator as a program.

fn main() {}
