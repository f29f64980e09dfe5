//! Overlays: maps are merged key by key, everything else is replaced, `key: null` removes.

use crate::node::{Entry, Kind, Node};
use crate::problem::codes;
use crate::{Problem, Problems};

/// `base` as `over` changes it. What comes from `over` keeps its place there.
pub(super) fn merge(mut base: Node, over: Node, problems: &mut Problems) -> Node {
    if over.is_null() {
        return base;
    }
    let Kind::Map(changes) = over.kind else { return over };
    let Kind::Map(entries) = &mut base.kind else {
        return Node { kind: Kind::Map(changes), ..over };
    };
    for change in changes {
        apply(entries, change, problems);
    }
    base
}

fn apply(entries: &mut Vec<Entry>, change: Entry, problems: &mut Problems) {
    let known = entries.iter().position(|entry| entry.key == change.key);
    match known {
        Some(at) if change.value.is_null() => {
            entries.remove(at);
        }
        Some(at) => {
            let both_maps = matches!(
                (&entries[at].value.kind, &change.value.kind),
                (Kind::Map(_), Kind::Map(_))
            );
            if both_maps {
                let base =
                    std::mem::replace(&mut entries[at].value, Node::nothing(change.key_place));
                entries[at].value = merge(base, change.value, problems);
            } else {
                entries[at] = change;
            }
        }
        None if change.value.is_null() => {
            let message = format!("`{}` is not there to be removed", crate::node::cut(&change.key));
            problems.push(Problem::warning(codes::OVERLAY_IDLE, change.key_place, message));
        }
        None => entries.push(change),
    }
}
