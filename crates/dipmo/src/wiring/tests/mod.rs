//! Every option of the file reaches the options of its adapter, and what is wrong is said at its place.

mod all;
mod defaults;
mod places;
mod valves;

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use dipmo_config::load::Source;
use dipmo_config::{Colour, Config, Environment, Loaded, References};

use super::Pipeline;

/// Secrets that no print may show.
struct Secrets;

impl Environment for Secrets {
    fn variable(&self, name: &str) -> io::Result<Option<String>> {
        Ok(Some(match name {
            "DATABASE_URL" => "postgres://u:hush-db@h/db".to_owned(),
            "SF_KEY" => include_str!("../../../../dipmo-salesforce/tests/client/keys/app.key.pem")
                .to_owned(),
            "EXTRA_ROOT" => {
                include_str!("../../../../dipmo-salesforce/tests/client/keys/tls.cert.pem")
                    .to_owned()
            }
            "TLS_KEY" => include_str!("../../../../dipmo-salesforce/tests/client/keys/tls.key.pem")
                .to_owned(),
            name => format!("hush-{}", name.to_lowercase()),
        }))
    }

    fn file(&self, _: &Path) -> io::Result<String> {
        Ok("hush-file".to_owned())
    }
}

fn loaded(text: &str) -> Loaded {
    loaded_with(text, None)
}

fn loaded_with(text: &str, overlay: Option<&str>) -> Loaded {
    let mut sources = vec![Source { name: "dipmo.yaml", text }];
    sources.extend(overlay.map(|text| Source { name: "overlay.yaml", text }));
    Config::from_texts(&sources, References::Resolve(&Secrets))
        .unwrap_or_else(|it| panic!("{}", it.problems.render(&it.files, Colour::Never)))
}

fn assembled(text: &str) -> Pipeline {
    assembled_of(&loaded(text))
}

fn assembled_of(loaded: &Loaded) -> Pipeline {
    Pipeline::assemble(loaded)
        .unwrap_or_else(|it| panic!("{}", it.render(&loaded.files, Colour::Never)))
}

/// All that the adapters get.
fn printed(pipeline: &Pipeline) -> String {
    let mut printed = format!("{:#?}\n", pipeline.store.kind);
    for source in &pipeline.sources {
        let _ = writeln!(printed, "{:#?}\n{:#?}", source.options, source.inbound);
    }
    for leg in &pipeline.legs {
        let _ = writeln!(printed, "{:#?}", leg.options);
    }
    for source in &pipeline.http {
        let _ = writeln!(printed, "{:#?}\n{:#?}", source.options, source.inbound);
    }
    let kafka = pipeline.kafka.as_ref().map(|plan| &plan.options);
    let salesforce = pipeline.salesforce.as_ref().map(|plan| &plan.options);
    let _ = writeln!(printed, "{kafka:#?}\n{salesforce:#?}");
    let _ = writeln!(printed, "{:#?}\n{:#?}", pipeline.engine, pipeline.retention);
    let _ = writeln!(printed, "{:#?}\n{:#?}", pipeline.slo, pipeline.admin);
    printed
}
