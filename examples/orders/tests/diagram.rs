//! The page of the processes shows the diagram that the states of an order make.

use std::{env, fs};

use dipmo_api::with_diagram;
use orders::OrderState;

#[test]
fn the_page_shows_the_states_as_they_are() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/processes/order.md");
    let text = fs::read_to_string(page).expect("the page can be read");
    let drawn = with_diagram::<OrderState>(&text).expect("the page has the markers of a diagram");
    if env::var_os("DIPMO_UPDATE_DIAGRAMS").is_some() {
        fs::write(page, &drawn).expect("the page can be written");
        return;
    }
    let how = "DIPMO_UPDATE_DIAGRAMS=1 cargo test -p orders --test diagram";
    assert!(text == drawn, "{page} shows other states than the process has; to update it: {how}");
}
