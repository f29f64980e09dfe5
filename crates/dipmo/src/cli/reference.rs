//! `docs/reference/commands.md` is what the program says of itself.

use std::fmt::Write as _;
use std::path::Path;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory as _};

use super::Cli;

const RENEW: &str = "DIPMO_RENEW=1 cargo test -p dipmo --bins reference";

#[test]
fn the_reference_of_commands_is_what_the_program_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    let now = page();
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == now, "docs/reference/commands.md is old: `{RENEW}` renews it");
}

/// The whole page.
fn page() -> String {
    let mut root = Cli::command();
    // Gives options that are for all commands below one to each of them.
    root.build();
    let mut page = format!(
        "# Commands\n\n<!-- Made of the program: {RENEW} -->\n\n{}\n\n\
         Every command tells the same with `--help`.\n\n\
         - `--output json` is for scripts: one object on one line is all that comes to standard output (a dry run prints one \
         for each record). When a file is wrong it is `{{\"problems\": […]}}`, each with `code`, `message`, `file`, `line` and \
         `column`. When the API for operators says no, it is its problem document, with `code`, `detail` and `hint`.\n\
         - [Exit codes](../operations.md#exit-codes) mean the same everywhere: 0 for done, 1 for a no, 2 when it could not \
         run. A command that has others, or a 1, says so.\n\
         - Colour comes only on a terminal, and never with `NO_COLOR` set or `TERM=dumb`. Help and errors about arguments \
         never have any.\n\n\
         | command | what it does |\n|---|---|\n",
        text(root.get_about()),
    );
    let all = below("dipmo", &root);
    for (path, command) in &all {
        let anchor = path.replace(' ', "-");
        let _ = writeln!(page, "| [`{path}`](#{anchor}) | {} |", cell(&text(command.get_about())));
    }
    for (path, command) in &all {
        page.push_str(&section(path, command));
    }
    page
}

/// The commands below one, each before its own.
fn below(path: &str, command: &Command) -> Vec<(String, Command)> {
    let mut all = Vec::new();
    for command in command.get_subcommands().filter(|it| it.get_name() != "help") {
        let path = format!("{path} {}", command.get_name());
        let more = below(&path, command);
        all.push((path, command.clone()));
        all.extend(more);
    }
    all
}

fn section(path: &str, command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let mut section =
        format!("\n## {path}\n\n{}\n\n```text\n{}\n```\n", text(command.get_about()), usage.trim());
    let options: Vec<&Arg> = command.get_arguments().filter(|it| is_listed(it)).collect();
    if !options.is_empty() {
        section.push_str("\n| argument | what it is | default |\n|---|---|---|\n");
        options.into_iter().for_each(|option| section.push_str(&row(option)));
    }
    text(command.get_after_help()).split("\n\n").for_each(|it| section.push_str(&block(it)));
    section
}

fn is_listed(argument: &Arg) -> bool {
    !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
}

/// A line of a table: how it is written, what it is with the words that it takes, its default.
fn row(argument: &Arg) -> String {
    let name = argument.to_string();
    let short = argument.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let mut about = text(argument.get_long_help().or(argument.get_help()));
    if argument.get_action().takes_values() {
        for value in argument.get_possible_values() {
            let help = text(value.get_help());
            let _ = match help.as_str() {
                "" => write!(about, " `{}`", value.get_name()),
                help => write!(about, "<br>`{}`: {help}", value.get_name()),
            };
        }
    }
    let defaults = argument.get_default_values().iter().map(|it| format!("`{}`", it.display()));
    let default = if argument.get_action().takes_values() {
        defaults.collect::<Vec<_>>().join(", ")
    } else {
        String::new()
    };
    format!("| {short}`{name}` | {} | {} |\n", cell(&about), cell(&default))
}

/// A block of what is shown below the options: examples as they are typed, exit codes as a table.
fn block(block: &str) -> String {
    match block.split_once('\n') {
        Some(("Exit codes:", codes)) => {
            let row = |line: &str| {
                let (code, meaning) = line.trim().split_once(' ').unwrap_or((line, ""));
                format!("| {code} | {} |\n", cell(meaning.trim()))
            };
            let rows: String = codes.lines().map(row).collect();
            format!("\n| exit code | meaning |\n|---|---|\n{rows}")
        }
        Some((title, rest)) if title.ends_with(':') => {
            let rest: String = rest
                .lines()
                .map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)))
                .collect();
            format!("\n{title}\n\n```text\n{rest}```\n")
        }
        _ => format!("\n{}\n", block.trim()),
    }
}

fn text(styled: Option<&StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default()
}

/// A text that fits into a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace("\n\n", "<br>").replace('\n', " ")
}
