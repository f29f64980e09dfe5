//! What is said when something else happens than a case expects.

use dipmo_config::cases::{Line, Miss};

use crate::setting::Setting;

/// The misses of the only case, each as its place and its difference.
fn misses(case: &str) -> Vec<String> {
    let mut setting = Setting::example("hits");
    let text = format!("dipmo: 1\ncases:\n  - name: it\n{case}");
    let report = setting.run(&text).unwrap_or_else(|said| panic!("{said}"));
    let shown = |miss: &Miss| {
        let place = setting.files.position(miss.place);
        let lines = miss.diff().into_iter().map(|line| match line {
            Line::Both(text) => format!("\n  {text}"),
            Line::Expected(text) => format!("\n- {text}"),
            Line::Happened(text) => format!("\n+ {text}"),
        });
        let why = miss.why.iter().map(|why| format!("\n{why}"));
        format!("{}:{}{}", place.line, place.column, lines.chain(why).collect::<String>())
    };
    report.ran[0].misses.iter().map(shown).collect()
}

#[test]
fn another_way_is_one_miss_that_says_why() {
    let found = misses(
        "    when: {event: HitAssessed, payload: {positive: true}}\n\
         \x20   then: {goes: COMPLETED, data: {positive: true}, writes: []}\n",
    );
    assert_eq!(
        found,
        ["5:18\n- goes: [COMPLETED]\n+ rejects: HIT_OUT_OF_ORDER\n\
          the hit has not come that far, and no version says why"]
    );
}

#[test]
fn only_what_is_named_is_shown_and_the_place_is_the_first_difference() {
    let found = misses(
        "    given: {id: H-1, state: HIT_CREATED, data: {notificationId: N-1}}\n\
         \x20   when: {event: HitAssessed, payload: {positive: true}}\n\
         \x20   then:\n\
         \x20     goes: [QUALIFIED_POSITIVE, REVIEW_STARTED]\n\
         \x20     writes:\n\
         \x20       - {upsert: HITS, set: {HIT_ID: H-1, STATUS: COMPLETED}}\n\
         \x20     timers: [{set: review-overdue, after: 336h}, {cancel: review-overdue}]\n\
         \x20     fails: HIT_ABORTED\n",
    );
    assert_eq!(
        found,
        [
            "9:53\n  writes:\n    - upsert: HITS\n      set:\n        HIT_ID: H-1\n\
             -       STATUS: COMPLETED\n+       STATUS: REVIEW_STARTED\n\
             +   - upsert: REVIEWS\n+     set:\n+       HIT_ID: H-1\n+       STATUS: OPEN\n\
             +       REVISION: 2",
            "10:52\n  timers:\n    - set: review-overdue\n      after: 14d\n\
             -   - cancel: review-overdue",
            "11:14\n- fails: HIT_ABORTED",
        ]
    );
}

#[test]
fn a_message_before_the_last_must_get_through() {
    let found = misses(
        "    when:\n\
         \x20     - {event: HitAssessed, payload: {positive: true}, source_version: 2}\n\
         \x20     - {event: NotificationReceived, version: 2, payload: {notificationId: N-1}}\n\
         \x20   then: {goes: HIT_CREATED}\n",
    );
    let expected = "5:9\n+ parks: 1\nHitAssessed comes before others, and does not get through";
    assert_eq!(found, [expected]);
}

#[test]
fn a_message_for_another_instance_is_no_message_of_the_case() {
    let mut setting = Setting::example("onboarding");
    let report = setting
        .run(
            "dipmo: 1\ncases:\n  - name: it\n    given: {id: O-1, state: QUALIFIED}\n\
             \x20   when: {event: BlockCreated, payload: {onboardingId: O-2}}\n\
             \x20   then: {goes: COMPLETED}\n",
        )
        .unwrap();
    let why = report.ran[0].misses[0].why.as_deref();
    assert_eq!(why, Some("BlockCreated is for the instance O-2, and this case is about O-1"));
}
