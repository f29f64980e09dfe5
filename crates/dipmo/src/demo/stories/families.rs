//! What can happen to a family on its way to Salesforce.

use dipmo_domain::Outcome;
use serde_json::json;

use super::author::Author;
use super::story::Story;
use super::tale::{BLOCKS, Child, MEMBERS, Tale, announcement};
use crate::demo::book::Fate;

const STALE: Fate = Fate::Ended(Outcome::Stale);
const DUPLICATE: Fate = Fate::Ended(Outcome::Duplicate);

/// A family with members, some of whom change later.
pub(crate) fn settled(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "settled");
    tale.family(1, "Received");
    let members = some_members(author);
    tale.born(&MEMBERS, 2, &members);
    if author.chance(20) {
        tale.announce_in_version_1(&members);
    } else {
        tale.announce(&members, 2);
    }
    for version in 3..3 + i64::try_from(author.between(0..=3)).unwrap_or_default() {
        // Sometimes before anybody had the time to send what was before.
        tale.now += if author.chance(40) { 0 } else { author.pause() };
        if author.chance(30) {
            tale.family(version, "Qualified");
        } else {
            let some = usize::try_from(author.between(1..=members.len() as u64)).unwrap_or(1);
            tale.changed(&MEMBERS, version, &members[..some]);
        }
    }
    tale.story
}

/// The members come before their family: at Salesforce they wait for it.
pub(crate) fn orphaned(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "orphaned");
    let members = some_members(author);
    tale.born(&MEMBERS, 1, &members);
    tale.announce(&members, 1);
    tale.now += 300 + author.pause();
    tale.family(2, "Received");
    tale.story
}

/// What is newer came first, and then its past comes, under new ids.
pub(crate) fn outdated(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "outdated");
    let members = some_members(author);
    tale.family(4, "Qualified");
    tale.family_again(1, "Received", STALE);
    tale.born(&MEMBERS, 3, &members);
    tale.told(&MEMBERS, 2, &members, STALE);
    tale.announce(&members, 2);
    tale.now += author.pause();
    let again = announcement(&tale.id(), &members, 2);
    tale.story.tell(tale.now, "MembersCreated", None, &again, DUPLICATE);
    tale.told(&MEMBERS, 3, &members, DUPLICATE);
    tale.changed(&MEMBERS, 5, &members);
    tale.now += author.pause();
    tale.told(&MEMBERS, 4, &members, STALE);
    tale.story
}

/// Salesforce takes some of the members, and refuses others for good.
pub(crate) fn refused(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "partly refused");
    tale.family(1, "Received");
    let mut members = some_members(author);
    members[0].refused = Some("REQUIRED_FIELD_MISSING");
    if let [_, second, ..] = &mut members[..] {
        second.refused = Some("STRING_TOO_LONG");
    }
    tale.born(&MEMBERS, 2, &members);
    tale.announce(&members, 2);
    tale.story
}

/// A version is announced before it is there: nothing older goes out.
pub(crate) fn announced_early(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "announced early");
    tale.family(1, "Received");
    let members = some_members(author);
    tale.born(&MEMBERS, 2, &members);
    tale.announce(&members, 3);
    tale.now += author.pause();
    tale.changed(&MEMBERS, 3, &members);
    tale.story
}

/// Blocks by the hundred, now and then by the thousand; some are lifted later.
pub(crate) fn blocked(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "blocked");
    tale.family(1, "Blocked");
    let count = if author.chance(15) { 2_000 } else { author.between(50..=500) };
    let mut blocks = Child::new(author, "B", count);
    if author.chance(50) {
        blocks[3].refused = Some("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST");
    }
    tale.born(&BLOCKS, 2, &blocks);
    tale.order(&blocks);
    tale.now += author.pause();
    tale.changed(&BLOCKS, 3, &blocks[4..20]);
    tale.story
}

/// An announcement that cannot be read: a person must see it, and what follows waits.
pub(crate) fn unreadable(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "unreadable announcement");
    tale.family(1, "Received");
    let poison =
        json!({ "familyId": tale.id(), "memberIds": "M-1", "asOfVersion": 2, "eventVersion": 2 });
    let fate = Fate::Failed("payload-unparsable");
    tale.story.tell(0, "MembersCreated", None, &poison, fate);
    tale.now += author.pause();
    tale.family_again(2, "Failed", Fate::Held);
    tale.story
}

/// Other members under a known announcement.
pub(crate) fn contradicted(author: &mut Author) -> Story {
    let mut tale = Tale::new(author, "contradicted announcement");
    tale.family(1, "Received");
    let mut members = some_members(author);
    tale.born(&MEMBERS, 2, &members);
    tale.announce(&members, 2);
    members.extend(Child::new(author, "M", 1));
    let other = announcement(&tale.id(), &members, 2);
    let changed = Fate::Failed("ANNOUNCEMENT_CHANGED");
    tale.story.tell(tale.now, "MembersCreated", None, &other, changed);
    tale.story
}

fn some_members(author: &mut Author) -> Vec<Child> {
    let count = author.between(1..=8);
    Child::new(author, "M", count)
}
