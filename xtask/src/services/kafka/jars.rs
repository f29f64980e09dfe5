//! The jars of Apache Kafka, fetched once with Maven.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::services::folder::remove_all;
use crate::services::maven::{self, Partial};

/// Raised by hand, so that two machines never test on different brokers.
pub(crate) const VERSION: &str = "4.3.1";

/// The folder of the jars, fetched into `cache` if they are not there yet.
pub(crate) fn folder(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join(format!("kafka-{VERSION}"));
    if !folder.exists() {
        let partial = Partial::new(cache.join(format!("kafka-{VERSION}.partial")));
        fetch(partial.path(), &folder).with_context(|| {
            format!("the jars were not fetched ({} can name a broker)", super::VARIABLE)
        })?;
    }
    Ok(folder)
}

fn fetch(partial: &Path, folder: &Path) -> Result<()> {
    println!("fetching Apache Kafka {VERSION} with Maven; this happens once");
    remove_all(partial)?;
    fs::create_dir_all(partial.join("jars"))?;
    fs::write(partial.join("pom.xml"), project())?;
    let mut maven = maven::command(partial, "dependency:copy-dependencies")?;
    maven.arg(format!("-DoutputDirectory={}", partial.join("jars").display()));
    maven.arg("-DincludeScope=runtime");
    maven::run(maven)?;
    fs::rename(partial.join("jars"), folder)
        .with_context(|| format!("cannot move the jars to {}", folder.display()))
}

/// A project that is nothing but its dependencies: the broker, and a logger that it speaks to.
fn project() -> String {
    let dependencies: String = [
        ("org.apache.kafka", "kafka_2.13", VERSION),
        ("org.apache.logging.log4j", "log4j-core", "2.24.3"),
        ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3"),
    ]
    .iter()
    .map(|(group, artifact, version)| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version></dependency>\n"
        )
    })
    .collect();
    format!(
        "<project><modelVersion>4.0.0</modelVersion>\n\
         <groupId>dipmo</groupId><artifactId>broker</artifactId><version>1</version>\n\
         <dependencies>\n{dependencies}</dependencies></project>\n"
    )
}
