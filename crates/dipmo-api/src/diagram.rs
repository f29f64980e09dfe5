//! Diagrams: the states of a process as Mermaid draws them.

use crate::{Edge, ProcessState};

/// Where a generated diagram begins in a document.
const BEGIN: &str = "<!-- diagram: generated, do not edit -->";
/// Where it ends.
const END: &str = "<!-- /diagram -->";

/// The diagram of a process's states, as Mermaid's `stateDiagram-v2`.
///
/// ```
/// dipmo_api::states! {
///     /// A door.
///     pub enum Door {
///         /// Ajar.
///         Open = "OPEN",
///         /// Shut for good.
///         Closed = "CLOSED",
///     }
///     initial Open;
///     Open => Closed: "shut()";
/// }
///
/// assert_eq!(
///     dipmo_api::diagram::<Door>(),
///     "stateDiagram-v2\n    [*] --> OPEN\n    OPEN --> CLOSED: shut()\n    CLOSED --> [*]\n"
/// );
/// ```
#[must_use]
pub fn diagram<S: ProcessState>() -> String {
    let states: Vec<_> = S::ALL.iter().map(|state| state.name()).collect();
    draw(&states, S::INITIAL.name(), S::EDGES)
}

/// The same, from names: for whoever has no type for the states.
pub(crate) fn draw(states: &[&str], initial: &str, edges: &[Edge]) -> String {
    let ends = ends(states, edges).map(|state| format!("{state} --> [*]"));
    let steps = edges.iter().map(Edge::to_string);
    let lines = std::iter::once(format!("[*] --> {initial}")).chain(steps).chain(ends);
    lines.fold("stateDiagram-v2\n".to_owned(), |text, line| text + "    " + &line + "\n")
}

/// The states that lead nowhere: a process ends in them.
pub(crate) fn ends<'a>(states: &'a [&'a str], edges: &'a [Edge]) -> impl Iterator<Item = &'a str> {
    let leaves = |state: &str| edges.iter().any(|edge| edge.from == state && edge.to != state);
    states.iter().copied().filter(move |state| !leaves(state))
}

/// A document with the diagram of `S` between its markers, whatever stood there before.
///
/// The markers are `<!-- diagram: generated, do not edit -->` and `<!-- /diagram -->`. A test
/// compares the result with the document, so that no page can show states that are not there.
/// `None` when the document has no markers.
#[must_use]
pub fn with_diagram<S: ProcessState>(document: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n```mermaid\n{}```\n{END}{after}", diagram::<S>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::states! {
        /// A kettle that is refilled while it stands there.
        pub(crate) enum Kettle {
            Cold = "COLD",
            Hot = "HOT",
        }
        initial Cold;
        Cold => Cold: "refill()";
        Cold => Hot;
        Hot => Hot: "keepWarm()";
    }

    #[test]
    fn a_state_that_only_returns_to_itself_is_an_end() {
        let drawn = diagram::<Kettle>();
        assert!(drawn.contains("    COLD --> COLD: refill()\n    COLD --> HOT\n"), "{drawn}");
        assert!(drawn.ends_with("    HOT --> [*]\n") && !drawn.contains("COLD --> [*]"), "{drawn}");
    }

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let page = format!("# Kettle\n{BEGIN}\nold\n{END}\nThe end.\n");
        let drawn = with_diagram::<Kettle>(&page).unwrap();
        assert!(drawn.starts_with("# Kettle\n") && drawn.ends_with("\nThe end.\n"));
        assert!(drawn.contains("```mermaid\nstateDiagram-v2") && !drawn.contains("old"));
        assert_eq!(with_diagram::<Kettle>(&drawn), Some(drawn));
        assert_eq!(with_diagram::<Kettle>("no markers"), None);
    }
}
