//! The routes, a file for each thing, and the table of what each of them needs.
//!
//! **Invariant:** there is no route outside of [`table`]: the router, the OpenAPI document and the tests are made of
//! it, so that no route can be there without a role.

pub(crate) mod aggregate_erase;
pub(crate) mod archive_keeper;
pub(crate) mod archive_wish;
pub(crate) mod archives;
pub(crate) mod audit;
pub(crate) mod backlog;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod failures;
pub(crate) mod incidents;
pub(crate) mod instances;
pub(crate) mod intent;
pub(crate) mod jobs;
pub(crate) mod journey;
pub(crate) mod lanes;
pub(crate) mod lists;
pub(crate) mod me;
pub(crate) mod message;
pub(crate) mod message_edit;
pub(crate) mod messages;
pub(crate) mod openapi;
pub(crate) mod operation;
pub(crate) mod operation_change;
pub(crate) mod operation_items;
pub(crate) mod operations;
pub(crate) mod operations_begin;
pub(crate) mod pauses;
pub(crate) mod process_instance;
pub(crate) mod process_instances;
pub(crate) mod process_move;
pub(crate) mod processes;
pub(crate) mod replay;
mod report_ageing;
pub(crate) mod report_hot;
pub(crate) mod report_slo;
pub(crate) mod sources;
pub(crate) mod steering;
pub(crate) mod throughput;
pub(crate) mod token_add;
pub(crate) mod token_revoke;
pub(crate) mod tokens;
pub(crate) mod units;
pub(crate) mod valves;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use crate::app::Shared;
use crate::document;
use crate::roles::{Role, require};

/// Where all of it is.
const BASE: &str = "/api/v1";

/// Every route, with the least role that it needs.
fn table() -> Vec<(Role, UtoipaMethodRouter<Arc<Shared>>)> {
    use Role::{Admin, Operator, Viewer};
    vec![
        (Viewer, routes!(me::me)),
        (Viewer, routes!(openapi::openapi)),
        (Viewer, routes!(messages::list_messages)),
        (Viewer, routes!(message::show_message)),
        (Operator, routes!(message_edit::edit_message)),
        (Viewer, routes!(journey::show_journey)),
        (Viewer, routes!(units::list_units)),
        (Viewer, routes!(intent::show_intent)),
        (Viewer, routes!(processes::list_processes)),
        (Viewer, routes!(process_instances::list_process_instances)),
        (Viewer, routes!(process_instance::show_process_instance)),
        (Operator, routes!(process_move::move_process_instance)),
        (Admin, routes!(aggregate_erase::erase_aggregate)),
        (Viewer, routes!(failures::list_failures)),
        (Viewer, routes!(backlog::show_backlog)),
        (Viewer, routes!(events::watch_events)),
        (Viewer, routes!(throughput::show_throughput)),
        (Viewer, routes!(report_ageing::report_ageing)),
        (Viewer, routes!(report_hot::report_hot)),
        (Viewer, routes!(report_slo::report_slo)),
        (Viewer, routes!(doctor::show_doctor)),
        (Viewer, routes!(jobs::list_jobs)),
        (Viewer, routes!(lanes::list_lanes)),
        (Viewer, routes!(instances::list_instances)),
        (Viewer, routes!(incidents::list_incidents)),
        (Viewer, routes!(operations::list_operations)),
        (Operator, routes!(operations_begin::begin_operation)),
        (Viewer, routes!(operation::show_operation)),
        (Viewer, routes!(operation_items::list_operation_items)),
        (Operator, routes!(operation_change::pause_operation)),
        (Operator, routes!(operation_change::resume_operation)),
        (Operator, routes!(operation_change::cancel_operation)),
        (Viewer, routes!(sources::list_sources)),
        (Operator, routes!(steering::pause_source)),
        (Operator, routes!(steering::resume_source)),
        (Operator, routes!(steering::pause_destination)),
        (Operator, routes!(steering::resume_destination)),
        (Operator, routes!(valves::set_breaker)),
        (Operator, routes!(valves::set_rate)),
        (Viewer, routes!(archives::list_archives)),
        (Viewer, routes!(archive_keeper::show_keeper)),
        (Operator, routes!(archive_keeper::run_archive)),
        (Operator, routes!(archive_wish::verify_archive)),
        (Operator, routes!(archive_wish::restore_archive)),
        (Operator, routes!(audit::list_audit)),
        (Admin, routes!(tokens::list_tokens)),
        (Admin, routes!(token_add::add_token)),
        (Admin, routes!(token_revoke::revoke_token)),
    ]
}

/// The router of all routes, without a door, and the OpenAPI document.
pub(crate) fn all() -> (Router<Arc<Shared>>, String) {
    let mut routes = OpenApiRouter::with_openapi(document::head());
    for (least, (schemas, mut paths, router)) in table() {
        document::name_role(&mut paths, least);
        let guard = from_fn_with_state(least, require);
        routes = routes.routes((schemas, paths, router).map(|it| it.route_layer(guard)));
    }
    let all = OpenApiRouter::with_openapi(document::head()).nest(BASE, routes);
    let (router, document) = all.split_for_parts();
    (router, document::text(&document))
}
