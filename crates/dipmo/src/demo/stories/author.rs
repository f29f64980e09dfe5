//! The author: which story comes next, and what the wire does to it. All of it from one seed.

use std::ops::RangeInclusive;
use std::time::Duration;

use dipmo_domain::Outcome;
use serde_json::json;

use super::story::Story;
use super::{families, hits, onboardings};
use crate::demo::book::Fate;

type Plot = fn(&mut Author) -> Story;

/// How often each plot is told, out of the sum of all.
const PLOTS: &[(u32, Plot)] = &[
    (26, hits::reviewed),
    (14, hits::harmless),
    (6, hits::aborted),
    (4, hits::overdue),
    (6, hits::echoed),
    (2, hits::unreadable),
    (2, hits::contradicted),
    (22, onboardings::welcome),
    (4, onboardings::refused),
    (3, onboardings::unanswered),
    (5, onboardings::turned_down),
    (4, onboardings::returning),
    (1, onboardings::mistaken),
    (1, onboardings::unasked),
    (9, families::settled),
    (3, families::orphaned),
    (3, families::outdated),
    (3, families::refused),
    (2, families::announced_early),
    (1, families::blocked),
    (1, families::unreadable),
    (1, families::contradicted),
];

/// The story that is told at this place whatever the chance: a short demo has a Bulk job too.
const SURE: (u64, Plot) = (8, families::blocked);

/// So many customers are remembered who are to come again.
const REMEMBERED: usize = 64;

/// Tells stories.
pub(crate) struct Author {
    random: fastrand::Rng,
    stories: u64,
    told: u64,
    customers: Vec<String>,
    /// Before the ids of records that leave for Salesforce.
    prefix: String,
}

impl Author {
    /// `prefix` makes external ids those of this run, in an org that others use too.
    pub(crate) fn new(seed: u64, prefix: &str) -> Self {
        let (random, prefix) = (fastrand::Rng::with_seed(seed), prefix.to_owned());
        Self { random, stories: 0, told: 0, customers: Vec::new(), prefix }
    }

    /// The next story, as the wire delivers it.
    pub(crate) fn next_story(&mut self) -> Story {
        let sum = PLOTS.iter().map(|(weight, _)| weight).sum();
        let mut ticket = self.random.u32(0..sum);
        let plot = PLOTS.iter().find(|(weight, _)| {
            let found = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            found
        });
        self.stories += 1;
        let plot = match SURE {
            (place, sure) if place == self.stories => sure,
            _ => plot.map_or(hits::reviewed as Plot, |(_, plot)| *plot),
        };
        let mut story = plot(self);
        if story.any_order && self.chance(20) {
            self.shuffle(&mut story);
        }
        self.add_strays(&mut story);
        self.repeat(&mut story);
        story
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(0..100) < percent
    }

    /// Milliseconds between two events of a story.
    pub(crate) fn pause(&mut self) -> u64 {
        self.random.u64(10..400)
    }

    /// A number of this range.
    pub(crate) fn between(&mut self, range: RangeInclusive<u64>) -> u64 {
        self.random.u64(range)
    }

    /// An external id that no other story has.
    pub(crate) fn external_id(&mut self, kind: &str) -> String {
        let number = self.number();
        format!("{}{kind}-{number:06}", self.prefix)
    }

    /// A number that no other story has.
    pub(crate) fn number(&mut self) -> u64 {
        self.told += 1;
        self.told
    }

    pub(crate) fn remember(&mut self, customer: &str) {
        if self.customers.len() == REMEMBERED {
            self.customers.remove(0);
        }
        self.customers.push(customer.to_owned());
    }

    /// The customer that was remembered first, if there are many.
    pub(crate) fn recall(&mut self) -> Option<String> {
        (self.customers.len() > REMEMBERED / 8).then(|| self.customers.remove(0))
    }

    /// Swaps when the records are sent: versions let early ones wait for those before them.
    fn shuffle(&mut self, story: &mut Story) {
        let mut times: Vec<Duration> = story.sends.iter().map(|send| send.after).collect();
        self.random.shuffle(&mut times);
        for (send, after) in story.sends.iter_mut().zip(times) {
            send.after = after;
        }
    }

    /// Things that come along on every topic and change nothing.
    fn add_strays(&mut self, story: &mut Story) {
        let ignored = Fate::Ended(Outcome::Ignored);
        if self.chance(3) {
            let binary = b"\xff\xfe\x00{not json".to_vec();
            let bytes = if self.chance(50) { binary } else { story.cut_off() };
            story.stray(self.pause(), Some(bytes), Fate::Undecodable);
        }
        if self.chance(3) {
            story.tell(self.pause(), "CoffeeMade", None, &json!({}), ignored);
        }
        if self.chance(3) {
            story.stray(self.pause(), None, ignored);
        }
    }

    /// Sends some records twice, at once or later, and a few ids with another content.
    fn repeat(&mut self, story: &mut Story) {
        for place in 0..story.sends.len() {
            let after = story.sends[place].after;
            if self.chance(7) {
                story.again(place, after);
            }
            if self.chance(5) {
                let later = after + Duration::from_millis(self.random.u64(50..1_500));
                story.again(place, later);
            }
            if self.random.u32(0..400) == 0 {
                let forged = story.sends[place].forged(after + Duration::from_millis(300));
                story.sends.extend(forged);
            }
        }
    }
}
