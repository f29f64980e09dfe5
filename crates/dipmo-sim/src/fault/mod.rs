//! The store as an instance sees it: everything that can go wrong between the two.

mod calls;
mod dispatch;
mod inspect;
mod interrupt;
mod jobs;
mod operate;
mod traffic;
mod watched;
mod work;

pub(crate) use calls::Faulty;
pub(crate) use traffic::Traffic;
pub(crate) use watched::Done;
