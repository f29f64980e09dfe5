//! What the tests are made of.

pub(crate) mod books;
pub(crate) mod breakers;
pub(crate) mod child;
pub(crate) mod deliveries;
pub(crate) mod echo;
pub(crate) mod engine;
pub(crate) mod families;
pub(crate) mod folder;
pub(crate) mod foreign;
pub(crate) mod journal;
pub(crate) mod load;
pub(crate) mod look;
pub(crate) mod numbers;
pub(crate) mod org;
pub(crate) mod place;
pub(crate) mod postgres;
pub(crate) mod road;
pub(crate) mod sent;
pub(crate) mod step;
pub(crate) mod stop;
pub(crate) mod worker;

/// Whether the long variants of tests are asked for.
pub(crate) fn full() -> bool {
    std::env::var("DIPMO_TEST_FULL").as_deref() == Ok("1")
}
