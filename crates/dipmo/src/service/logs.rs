//! Logs: for people on a terminal, JSON for everything else.
//!
//! What is logged are names, ids, codes and counts. **Invariant:** no payload and no secret: nothing
//! of dipmo logs one, the records of other libraries that use `log` instead of `tracing` are not
//! taken in (a driver of a database would print the values of its statements), and what a panic
//! says is left out.

use std::io::IsTerminal as _;
use std::panic::PanicHookInfo;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

use super::colour;

/// The variable that says what is logged when no flag does.
pub const VARIABLE: &str = "DIPMO_LOG";

/// How lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line for people; with colour where the terminal shows it.
    Pretty,
    /// A JSON object a line.
    Json,
}

/// Why nothing can be logged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The filter makes no sense.
    #[error(
        "{given:?} is no log filter: say error, warn, info, debug, trace or off, for all or for a \
         module, such as info,dipmo_kafka=debug"
    )]
    Filter {
        /// What was given.
        given: String,
    },
    /// Somebody else logs already.
    #[error("logs were set up before")]
    Twice,
}

/// Sets logging up for the whole process, to standard error.
///
/// Without a format it is [`Format::Pretty`] on a terminal and [`Format::Json`] otherwise. Without a
/// filter it is what [`VARIABLE`] says, or `info`.
///
/// # Errors
/// When the filter makes no sense, or logs were set up before.
pub fn install(format: Option<Format>, filter: Option<&str>) -> Result<(), LogError> {
    let stderr = std::io::stderr();
    let by_stream = if stderr.is_terminal() { Format::Pretty } else { Format::Json };
    let style =
        Style { format: format.unwrap_or(by_stream), has_colour: colour::is_wanted(&stderr) };
    let variable = std::env::var(VARIABLE).ok();
    let filter = targets(chosen(filter, variable.as_deref()))?;
    let subscriber = subscriber(style, filter, std::io::stderr);
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LogError::Twice)?;
    std::panic::set_hook(Box::new(panicked));
    Ok(())
}

/// How lines look, in full.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The format.
    pub format: Format,
    /// Whether [`Format::Pretty`] has colour.
    pub has_colour: bool,
}

/// What takes log events and writes them as lines to `writer`.
pub fn subscriber<W>(style: Style, filter: Targets, writer: W) -> Box<dyn Subscriber + Send + Sync>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
    let registry = tracing_subscriber::registry().with(filter);
    match style.format {
        Format::Pretty => Box::new(registry.with(layer.with_ansi(style.has_colour))),
        // Fields stay together: one of them is called like something that every line has.
        Format::Json => Box::new(registry.with(layer.json())),
    }
}

/// The filter that is to be used: an empty variable is as none.
fn chosen<'a>(flag: Option<&'a str>, variable: Option<&'a str>) -> &'a str {
    flag.or(variable).filter(|text| !text.trim().is_empty()).unwrap_or("info")
}

/// Reads a filter: levels for all or for modules, with commas between them.
///
/// # Errors
/// When it makes no sense. A word that is no level would be taken for a module that is logged in
/// full while all others fall silent: that is never what was meant.
pub fn targets(text: &str) -> Result<Targets, LogError> {
    let wrong = || LogError::Filter { given: text.to_owned() };
    let is_meant = |directive: &str| {
        let level = directive.rsplit_once('=').map_or(directive, |(_, level)| level);
        // An empty level would be read as one.
        !level.trim().is_empty() && level.trim().parse::<LevelFilter>().is_ok()
    };
    if !text.split(',').all(is_meant) {
        return Err(wrong());
    }
    text.split(',').map(str::trim).collect::<Vec<_>>().join(",").parse().map_err(|_| wrong())
}

/// Says where a panic was. What it says may hold values of a message; the failure of that message
/// has it, in the database.
fn panicked(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    tracing::error!(place, thread = thread.name().unwrap_or_default(), "a panic");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_comes_before_the_variable() {
        assert_eq!(chosen(Some("warn"), Some("debug")), "warn");
        assert_eq!(chosen(None, Some("debug")), "debug");
        assert_eq!(chosen(None, Some("")), "info");
        assert_eq!(chosen(None, None), "info");
    }

    #[test]
    fn a_filter_is_levels_for_all_or_for_modules() {
        let targets = targets("warn, dipmo_kafka=debug").unwrap();
        assert!(targets.would_enable("dipmo_kafka::events", &tracing::Level::DEBUG));
        assert!(!targets.would_enable("dipmo_processing", &tracing::Level::INFO));
        assert!(targets.would_enable("dipmo_processing", &tracing::Level::WARN));
    }

    #[test]
    fn a_filter_that_would_silence_by_mistake_is_refused() {
        for given in ["debgu", "dipmo", "info,dipmo", "dipmo=loud", "", "info,"] {
            let given = given.to_owned();
            assert_eq!(targets(&given).err(), Some(LogError::Filter { given }));
        }
    }
}
