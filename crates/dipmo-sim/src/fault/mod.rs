//! The store as an instance sees it: everything that can go wrong between the two.

mod calls;
mod dispatch;
mod inspect;
mod interrupt;
mod jobs;
mod operate;
mod watched;
mod work;

pub(crate) use calls::Faulty;
pub(crate) use jobs::Jobs;
pub(crate) use watched::Done;
