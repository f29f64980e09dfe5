//! What comes to a process in a case is what would come to it in the engine.

use crate::setting::Setting;

const PIPELINE: &str = "
dipmo: 1
tables:
  ITEMS:
    columns: {ID: 'text(20), required', SEEN_AT: timestamp, NOTE: json}
    key: ID
queries:
  others:
    sql: select ID from ITEMS where ID <> :id
    parameters: {id: text}
    columns: {ID: text}
statements:
  forget:
    sql: delete from ITEMS where ID <> :id
    parameters: {id: text}
processes:
  ITEM:
    listens: {'items-*': [Came, Left]}
    versions: {contiguous: {first: 1}}
    events:
      Came: {fields: {ids: [string]}}
      Left: {}
      Late: {fields: {why: string}}
      Unheard: {}
    data: {n: 'int?'}
    states: {NEW: It is new., HERE: It is here., GONE: {final: true}}
    initial: NEW
    facts:
      known: {table: ITEMS, by: ID, keys: event.ids, on: Came}
      others: {query: others, with: {id: =id}, on: Left}
    on:
      Came:
        - go: HERE
          set: {n: =facts.known.size()}
          write: [{upsert: ITEMS, set: {ID: =id, SEEN_AT: =now, NOTE: '=message.topic'}}]
          send:
            - to: KAFKA:out
              event: Seen
              headers: {from: =message.source, kind: '=message.headers[\"kind\"]'}
          timers: [{set: late, after: 1h, event: Late, payload: {why: =id}}]
      Left:
        - in: HERE
          go: GONE
          write:
            - {delete: ITEMS, set: {ID: =id}}
            - {statement: forget, with: {id: '=facts.others[0].ID'}}
      Unheard:
        - go: GONE
      Late:
        - go: GONE
          fail: {code: LATE, message: =event.why}
destinations: {kafka: {}}
";

#[track_caller]
fn passes(case: &str) {
    let cases = format!("dipmo: 1\ncases:\n  - name: it\n{case}");
    let report = Setting::text(PIPELINE).run(&cases).unwrap_or_else(|said| panic!("{said}"));
    assert!(report.ran[0].has_passed(), "{:#?}", report.ran[0].misses);
}

#[test]
fn rows_of_a_fact_are_found_by_their_key_and_the_message_is_whole() {
    passes(
        "    given:
      id: I-1
      now: 2026-01-01T00:00:00Z
      facts: {known: [{ID: A}, {ID: B}, {ID: C}]}
    when: {event: Came, payload: {ids: [A, C, X]}, source: shop, headers: {kind: new}, after: 1h}
    then:
      goes: HERE
      data: {n: 2}
      writes: [{upsert: ITEMS, set: {SEEN_AT: '2026-01-01T02:00:00+01:00', NOTE: items-test}}]
      sends: [{to: KAFKA:out, event: Seen, payload: {}, headers: {from: shop, kind: new}}]
",
    );
}

#[test]
fn a_row_that_does_not_name_its_key_is_found_by_every_key() {
    passes(
        "    given: {facts: {known: {NOTE: any}}}
    when: {event: Came, payload: {ids: [A, B]}, headers: {kind: new}}
    then: {goes: HERE, data: {n: 2}}
",
    );
}

#[test]
fn deletes_statements_and_rows_of_queries_can_be_expected() {
    passes(
        "    given: {id: I-1, state: HERE, facts: {others: {ID: I-2}}}
    when: {event: Left}
    then:
      goes: GONE
      writes: [{delete: ITEMS, set: {ID: I-1}}, {statement: forget, with: {id: I-2}}]
",
    );
}

#[test]
fn a_timer_fires_as_it_was_set_and_not_before_it_is_due() {
    passes(
        "    given: {id: I-1}
    when:
      - {event: Came, payload: {ids: []}, headers: {kind: new}}
      - {timer: late}
    then: {goes: GONE, fails: LATE}
",
    );
    // Nobody set it here, so it says what the case says.
    passes(
        "    given: {state: HERE}
    when: {timer: late}
    then: {refuses: payload-unparsable}
",
    );
}

#[test]
fn versions_are_read_as_the_process_wants_it() {
    passes(
        "    when: {event: Came, payload: {ids: []}, source_version: 3}
    then: {parks: 2}
",
    );
    passes(
        "    given: {state: HERE, last_version: 2}
    when: {event: Came, payload: {ids: []}, source_version: 2}
    then: {stays: stale}
",
    );
    passes(
        "    when:
      - {event: Came, payload: {ids: []}, source_version: 1, headers: {kind: new}}
      - {event: Left, source_version: 1}
    then: {stays: stale}
",
    );
}

#[test]
fn an_event_that_no_topic_brings_is_not_heard() {
    passes(
        "    when: {event: Unheard}
    then: {ignores: true}
",
    );
}

#[test]
fn a_topic_that_nobody_listens_to_is_ignored() {
    passes(
        "    when: {event: Came, topic: other, payload: {ids: []}}
    then: {ignores: true}
",
    );
}
