//! The pages of the processes show the diagrams that their states make.

use std::{env, fs};

use dipmo_api::{ProcessState, with_diagram};
use members::{DeliveryState, FamilyState};

#[test]
fn the_pages_show_the_states_as_they_are() {
    compare::<FamilyState>("family.md");
    compare::<DeliveryState>("delivery.md");
}

fn compare<S: ProcessState>(page: &str) {
    let page = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/processes/{}"), page);
    let text = fs::read_to_string(&page).expect("the page can be read");
    let drawn = with_diagram::<S>(&text).expect("the page has the markers of a diagram");
    if env::var_os("DIPMO_UPDATE_DIAGRAMS").is_some() {
        fs::write(page, &drawn).expect("the page can be written");
        return;
    }
    let how = "DIPMO_UPDATE_DIAGRAMS=1 cargo test -p members --test diagram";
    assert!(text == drawn, "{page} shows other states than the process has; to update it: {how}");
}
