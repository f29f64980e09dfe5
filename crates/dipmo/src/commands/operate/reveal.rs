//! What is in a message, an intent or an instance: masked, unless somebody says why it is to be shown.

use super::asking::{Request, Told};
use super::show::field::Object;
use super::show::safe::lines;

/// Whether with what is masked.
#[derive(clap::Args, Debug)]
pub(crate) struct Reveal {
    /// Show what is masked; the audit keeps that, and why.
    #[arg(long, requires = "reason")]
    reveal: bool,
    /// Why it is to be shown.
    #[arg(long, value_name = "WHY", requires = "reveal")]
    reason: Option<String>,
}

/// Which one, and whether with what is masked.
#[derive(clap::Args, Debug)]
pub(crate) struct Which {
    /// Its id.
    id: i64,
    #[command(flatten)]
    reveal: Reveal,
}

impl Reveal {
    /// Asks so.
    pub(crate) fn ask(&self, request: Request) -> Request {
        request.with("reveal", self.reveal.then_some(true)).with("reason", self.reason.as_ref())
    }
}

impl Which {
    /// Asks for one of these.
    pub(crate) fn ask(&self, list: &str) -> Request {
        self.reveal.ask(Request::get(&[list, &self.id.to_string()]))
    }
}

/// Headers and payload, or another document, as they were written.
pub(crate) fn contents(told: &Told, document: &str, object: Object<'_>) -> String {
    let mut text = String::new();
    for header in object.list("/headers") {
        let value = [header.text("/value"), header.text("/base64")].concat();
        text.push_str(&format!("header {}: {value}\n", header.text("/name")));
    }
    let raw = object.text("/raw_payload_base64");
    if !raw.is_empty() {
        text.push_str(&format!("payload in base64\n{raw}\n"));
    }
    if let Some(written) = told.written(document) {
        text.push_str(&format!("{document}\n{}\n", lines(&written)));
    }
    if object.text("/revealed") == "false" {
        text.push_str("••• is masked: --reveal --reason WHY shows it\n");
    }
    text
}
