//! The program `salesforce-sim`, which belongs to another crate: cargo builds it for the tests of that one alone. To ask
//! cargo for it here would build half of the workspace a second time, with other features, or find one of yesterday. So
//! this test runs itself again as that program: all but its `main` is in the library.

use std::fs::File;
use std::path::Path;

/// The words of its command line.
const WORDS: &str = "DIPMO_TUTORIAL_SALESFORCE";

pub(crate) fn is_asked_for() -> bool {
    std::env::var_os(WORDS).is_some()
}

/// A script that is the program, on this port. What the harness of tests prints goes nowhere, and what the program
/// prints goes past it.
pub(crate) fn script(port: u16) -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "export {WORDS}=\"--port {port} $*\"\n\
         exec '{}' --exact the_tutorial_goes_as_it_says 3>&1 > /dev/null\n",
        program.display()
    )
}

/// Is the program, until it is stopped.
pub(crate) fn run() {
    let words = std::env::var(WORDS).unwrap();
    let words = ["salesforce-sim"].into_iter().chain(words.split_whitespace());
    let mut out = File::options().append(true).open(Path::new("/dev/fd/3")).unwrap();
    salesforce_sim::program::run(words.map(Into::into), &mut out);
}
