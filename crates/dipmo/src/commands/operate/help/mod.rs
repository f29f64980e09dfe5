//! What is shown below the options of each command: examples, and how it ends.

/// Of a command that shows a list.
macro_rules! lists {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nExit codes:\n  0  it was shown, also when there is nothing\n  2  nobody could be asked, or they said no"
        )
    };
}

/// Of a command that shows one thing.
macro_rules! shows {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nExit codes:\n  0  it was shown\n  1  there is no such one\n  2  nobody could be asked, or they said no"
        )
    };
}

/// Of a command that acts on messages or units.
macro_rules! acts {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nIt is an operation: it survives a crash, touches each once, and is in the audit. What changed since it began is \
             left alone.\n\nExit codes:\n  0    all was done, or there was nothing to do\n  1    something was not done: the words say \
             what and why\n  2    nobody could be asked, they said no, or --yes is missing where nobody can answer\n  130  it was \
             left with Ctrl-C, and goes on"
        )
    };
}

/// Of a command that changes one thing.
macro_rules! changes {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nExit codes:\n  0  it is so\n  1  there is no such one, or it is too late for that\n  2  nobody could be asked, or \
             they said no"
        )
    };
}

/// Of a noun: its commands say how each of them ends.
macro_rules! noun {
    ($examples:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\nWithout --server it works on the database that the configuration names, as whoever is logged in here.\n\n\
             Exit codes:\n  0  done\n  1  no: there is no such one, or something was not done\n  2  it could not be asked for, or \
             nobody answered"
        )
    };
}

mod aggregate;
mod archive;
mod inbox;
mod operation;
mod others;
mod outbox;
mod reports;

pub(crate) use aggregate::*;
pub(crate) use archive::*;
pub(crate) use inbox::*;
pub(crate) use operation::*;
pub(crate) use others::*;
pub(crate) use outbox::*;
pub(crate) use reports::*;
