//! The stories themselves.

use std::collections::BTreeSet;

use super::{Answer, Author};

#[test]
fn the_same_seed_tells_the_same_stories() {
    let told = |seed| {
        let mut author = Author::new(seed, "");
        (0..200).map(|_| format!("{:?}", author.next_story())).collect::<Vec<_>>()
    };
    assert_eq!(told(7), told(7));
    assert_ne!(told(7), told(8));
}

#[test]
fn a_thousand_stories_tell_every_plot() {
    let mut author = Author::new(1, "");
    let plots: BTreeSet<_> = (0..1_000).map(|_| author.next_story().promise.plot).collect();
    assert_eq!(plots.len(), 22, "{plots:?}");
}

#[test]
fn every_message_that_is_sent_is_in_every_ending() {
    let mut author = Author::new(3, "");
    for _ in 0..1_000 {
        let story = author.next_story();
        for send in story.sends.iter().filter(|send| send.answer == Answer::New) {
            for ending in &story.promise.endings {
                assert!(ending.messages.iter().any(|(id, _)| id == send.id()), "{story:?}");
            }
        }
    }
}

#[test]
fn a_repeated_record_never_comes_before_the_first() {
    let mut author = Author::new(4, "");
    for _ in 0..1_000 {
        let mut sends = author.next_story().sends;
        // As the producer does: by time, and at the same time as they were told.
        sends.sort_by_key(|send| send.after);
        let mut seen = BTreeSet::new();
        for send in &sends {
            assert_eq!(seen.insert(send.id().to_owned()), send.answer == Answer::New);
        }
    }
}
