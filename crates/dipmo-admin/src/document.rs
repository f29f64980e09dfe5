//! The OpenAPI document, beside what the routes tell themselves.

use std::collections::BTreeMap;

use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Operation, PathItem, Paths};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, ResponseBuilder,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::problem::Document;
use crate::roles::Role;
use crate::routes::events::News;

/// The extension that tells the least role of a route.
const ROLE: &str = "x-dipmo-role";
/// How a token is shown.
const BEARER: &str = "bearer";

/// The document without any route. Its version is that of the paths, not of the program.
pub(crate) fn head() -> OpenApi {
    let info = InfoBuilder::new()
        .title("dipmo")
        .version("v1")
        .description(Some("The API for operators. What came in is masked unless it is revealed."));
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let mut components = Components::new();
    components.add_security_scheme(BEARER, bearer);
    // Those that no answer is made of alone: every route may answer with a problem, and events carry news in a text.
    components.schemas = BTreeMap::from([
        (Document::name().into_owned(), Document::schema()),
        (News::name().into_owned(), News::schema()),
    ]);
    let needs_token = SecurityRequirement::new(BEARER, std::iter::empty::<String>());
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .security(Some([needs_token]))
        .build()
}

/// Tells the least role of each of these, and that any of them can answer with a problem.
pub(crate) fn name_role(paths: &mut Paths, least: Role) {
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name(Document::name())));
    let problem = ResponseBuilder::new()
        .description("A problem: its code has a page.")
        .content("application/problem+json", problem.build())
        .build();
    for operation in paths.paths.values_mut().flat_map(operations) {
        let role = Extensions::builder().add(ROLE, least.as_str()).build();
        operation.extensions = Some(role);
        operation.responses.responses.insert("default".to_owned(), problem.clone().into());
    }
}

/// The document as it is sent and kept.
pub(crate) fn text(document: &OpenApi) -> String {
    // Its types have a JSON form.
    document.to_pretty_json().unwrap_or_default() + "\n"
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete]
        .into_iter()
        .flatten()
}
