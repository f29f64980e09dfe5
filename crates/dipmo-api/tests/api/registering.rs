//! What can be registered, who gets a message, and what is refused before the first one comes.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{
    Description, ErasedProcess, MessageView, Opened, ProcessEvent, Registry, RegistryError, Route,
    Subscription,
};
use dipmo_domain::Coded;

use crate::obedient::{Obedient, Order};

/// A process that is nothing but its description.
struct Described(Description);

impl ErasedProcess for Described {
    fn description(&self) -> &Description {
        &self.0
    }

    fn open(&self, _: &MessageView<'_>) -> Opened {
        Opened::Ignored
    }
}

fn description() -> Description {
    Description::of::<Obedient>("CK_OTHER_STATE").begin_at("Do", 3)
}

fn register(description: Description) -> Result<Registry, RegistryError> {
    Registry::new().erased(Arc::new(Described(description)))
}

fn refused(description: Description) -> String {
    let error = register(description).expect_err("it has a flaw");
    format!("{}: {error}", error.code())
}

fn table(name: &'static str, columns: &[&'static str]) -> Arc<DomainTable> {
    let column = |name: &&'static str| Column::new(name, ColumnKind::Text(20)).required();
    let columns = columns.iter().map(column).collect();
    Arc::new(DomainTable { name, columns, key: vec!["ID"], version: None })
}

#[test]
fn a_message_has_one_taker() {
    let registry = Registry::new()
        .process(Obedient::new())
        .unwrap()
        .handler("audit", vec![Subscription::all("internal:*")])
        .unwrap();
    let taker = |topic, event| registry.route(topic, event).map(|route| format!("{route:?}"));
    assert_eq!(taker("orders", Some("Do")).as_deref(), Some("Process(OBEDIENT)"));
    assert_eq!(taker("timer:OBEDIENT", Some("Rest")).as_deref(), Some("Process(OBEDIENT)"));
    assert_eq!(taker("outcome:OBEDIENT", Some("Do")).as_deref(), Some("Process(OBEDIENT)"));
    assert_eq!(taker("internal:mail", None).as_deref(), Some("Handler(audit)"));
    assert_eq!(taker("orders", Some("Unheard")), None);
    assert_eq!(taker("orders", None), None);
    assert!(matches!(registry.route("internal:x", None), Some(Route::Handler(_))));
    assert_eq!(registry.process_tables()[0].table_name(), "OBEDIENT_PROCESS");
    assert_eq!((registry.domain_tables().len(), registry.facts().len()), (1, 2));
}

#[test]
fn two_takers_and_two_of_a_name_are_refused() {
    let registry = || Registry::new().process(Obedient::new()).unwrap();
    let error = registry().process(Obedient::new()).unwrap_err();
    assert_eq!(error.code().as_str(), "process-duplicate");
    let same = |topic| registry().handler("audit", vec![Subscription::all(topic)]);
    for topic in ["orders", "ord*", "timer:*"] {
        assert_eq!(same(topic).unwrap_err().code().as_str(), "route-ambiguous");
    }
    let disjoint = Subscription::of("orders", ["Cancelled"]);
    assert!(registry().handler("audit", vec![disjoint]).is_ok());
    let error = registry().handler("audit", vec![Subscription::all("a*b")]).unwrap_err();
    assert_eq!(error.code().as_str(), "process-definition-invalid");
}

#[test]
fn a_flaw_is_found_before_the_first_message() {
    let things = table("THINGS", &["ID"]);
    let twice = Order::KINDS.iter().chain(Order::KINDS).copied().collect();
    let mut shouted = description();
    shouted.table.projected.clear();
    shouted.table.state_check = "no name";
    for (flawed, expected) in [
        (description().subscribe_to("orders", ["Undo"]), "it subscribes to Undo of orders"),
        (description().fact("thing", &things, "NAME"), "the fact \"thing\" is read by NAME"),
        (Description { events: twice, ..description() }, "the event type Do stands there twice"),
        (Description::of::<Obedient>("CK_X"), "no upcaster leads from 1 to 2"),
        (description().domain_table(&table("THINGS", &["NAME"])), "ID is not among the columns"),
        (shouted, "\"no name\" is no name"),
    ] {
        let refused = refused(flawed);
        assert!(refused.contains(expected), "{refused:?} does not say {expected:?}");
    }
}

#[test]
fn a_table_or_fact_may_be_shared_but_means_one_thing() {
    let with_tables = |name: &'static str, table: &Arc<DomainTable>, by| {
        let mut description = description().fact("thing", table, by);
        description.table.process = name;
        Arc::new(Described(description))
    };
    let (plain, wide) = (table("THINGS", &["ID"]), table("THINGS", &["ID", "NAME"]));
    let first = || Registry::new().erased(with_tables("FIRST", &wide, "ID")).unwrap();
    let shared = first().erased(with_tables("SECOND", &wide, "ID")).unwrap();
    assert_eq!((shared.domain_tables().len(), shared.facts().len()), (1, 1));
    let error = first().erased(with_tables("SECOND", &plain, "ID")).unwrap_err();
    assert_eq!(error.code().as_str(), "table-definition-invalid");
    let error = first().erased(with_tables("SECOND", &wide, "NAME")).unwrap_err();
    assert_eq!(error.code().as_str(), "process-definition-invalid");
    let own = register(description().domain_table(&table("OBEDIENT_PROCESS", &["ID"])));
    assert_eq!(own.unwrap_err().code().as_str(), "table-definition-invalid");
}
