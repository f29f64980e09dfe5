//! What is paused or steered, by whom and why.

use dipmo_store::admin::{
    Control, ControlChange, ControlChanged, Operable, Setting, SettingKind, Steered, SteeredThing,
};

use super::audit::{entry, trail};
use crate::OperableFixture;

const PAUSE: ControlChange = ControlChange::Set(Setting::Paused);
const RESUME: ControlChange = ControlChange::Clear(SettingKind::Paused);

fn thing(kind: Steered, name: &str) -> SteeredThing {
    SteeredThing { kind, name: name.to_owned() }
}

fn destination() -> SteeredThing {
    thing(Steered::Destination, "KAFKA:out")
}

async fn say(
    store: &dyn Operable,
    of: &SteeredThing,
    change: ControlChange,
    who: &str,
) -> ControlChanged {
    store.change_control(of, change, &entry(who, "pause", &of.name)).await.unwrap()
}

async fn actors(store: &dyn Operable) -> Vec<String> {
    trail(store).await.into_iter().rev().map(|row| row.entry.actor).collect()
}

/// A pause is kept with who said it, why and since when; every instance reads it.
pub async fn a_pause_is_kept<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    assert_eq!(store.controls().await, Ok(vec![]));
    let before = store.now().await.unwrap();
    let ControlChanged { changed, control } = say(&*store, &destination(), PAUSE, "ann").await;
    let kept = control.unwrap();
    assert!(changed && (before..=store.now().await.unwrap()).contains(&kept.since));
    let reason = entry("ann", "pause", "KAFKA:out").reason;
    let (of, actor, since) = (destination(), "ann".to_owned(), kept.since);
    assert_eq!(kept, Control { of, setting: Setting::Paused, actor, reason, since });
    assert_eq!(another.controls().await, Ok(vec![kept]));
    assert_eq!(actors(&*another).await, ["ann"]);
}

/// What is so already stays as it was said first, and the audit has no entry of a change that was none.
pub async fn what_is_so_already_stays<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let nothing = ControlChanged { changed: false, control: None };
    assert_eq!(say(&*store, &destination(), RESUME, "ann").await, nothing);
    let first = say(&*store, &destination(), PAUSE, "bob").await;
    fixture.tick().await;
    let again = say(&*another, &destination(), PAUSE, "cid").await;
    assert_eq!(again, ControlChanged { changed: false, ..first });
    let resumed = say(&*store, &destination(), RESUME, "dan").await;
    assert_eq!(resumed, ControlChanged { changed: true, control: None });
    assert_eq!(say(&*store, &destination(), RESUME, "eve").await, nothing);
    assert_eq!(store.controls().await, Ok(vec![]));
    assert_eq!(actors(&*store).await, ["bob", "dan"]);
}

/// Each thing has its own, also one of the same name and another kind.
pub async fn each_thing_has_its_own<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let things = [
        thing(Steered::Source, "orders"),
        thing(Steered::Source, "Orders"),
        thing(Steered::Destination, "orders"),
    ];
    for of in &things {
        assert!(say(&*store, of, PAUSE, "ann").await.changed, "{of:?}");
    }
    let named = |rows: Vec<Control>| rows.into_iter().map(|row| row.of).collect::<Vec<_>>();
    let sorted = [&things[2], &things[1], &things[0]].map(Clone::clone);
    assert_eq!(named(store.controls().await.unwrap()), sorted);
    assert!(say(&*store, &things[1], RESUME, "ann").await.changed);
    let left = [&things[2], &things[0]].map(Clone::clone);
    assert_eq!(named(store.controls().await.unwrap()), left);
}

/// An entry that cannot be kept takes its change with it.
pub async fn no_change_without_its_entry<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let long = entry("ann", "pause", &"x".repeat(401));
    assert!(store.change_control(&destination(), PAUSE, &long).await.is_err());
    assert_eq!(store.controls().await, Ok(vec![]));
    say(&*store, &destination(), PAUSE, "ann").await;
    assert!(store.change_control(&destination(), RESUME, &long).await.is_err());
    assert_eq!(store.controls().await.unwrap().len(), 1);
    assert_eq!(actors(&*store).await, ["ann"]);
}

/// Two who say the same at once: one of them changed it.
pub async fn one_of_two_changes_it<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let of = destination();
    for change in [PAUSE, RESUME] {
        let (one, two) =
            tokio::join!(say(&*store, &of, change, "ann"), say(&*another, &of, change, "bob"));
        assert!(one.changed != two.changed, "{one:?} and {two:?}");
    }
    assert_eq!(actors(&*store).await.len(), 2);
}

/// A rate is changed by the next who says another, and a breaker that is closed again was closed again.
pub async fn a_setting_has_a_value<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let of = destination();
    let rate = |calls| ControlChange::Set(Setting::Rate(calls));
    let breaker = |open| ControlChange::Set(Setting::Breaker { open });
    let mut before = None;
    for (change, who, changed) in [
        (rate(u32::MAX), "ann", true),
        (rate(u32::MAX), "bob", false),
        (rate(1), "cid", true),
        (PAUSE, "dan", true),
        (breaker(true), "eve", true),
        (breaker(true), "fay", false),
        (breaker(false), "gus", true),
        (breaker(false), "hal", true),
    ] {
        fixture.tick().await;
        let said = say(&*store, &of, change, who).await;
        assert_eq!(said.changed, changed, "{who}");
        let control = said.control.unwrap();
        let ControlChange::Set(setting) = change else { panic!("{change:?}") };
        assert_eq!((control.setting, control.actor == who), (setting, changed), "{who}");
        assert!(!changed || before < Some(control.since), "{who}: since then");
        before = before.max(Some(control.since));
    }
    let cleared = say(&*store, &of, ControlChange::Clear(SettingKind::Rate), "ian").await;
    assert_eq!(cleared, ControlChanged { changed: true, control: None });
    let left: Vec<_> = store.controls().await.unwrap().into_iter().map(|it| it.setting).collect();
    assert_eq!(left, [Setting::Breaker { open: false }, Setting::Paused]);
    assert_eq!(actors(&*store).await, ["ann", "cid", "dan", "eve", "gus", "hal", "ian"]);
}
