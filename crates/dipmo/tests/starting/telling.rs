//! What the program tells of itself: schemas, its version, completions, help.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{Folder, dipmo, said};

fn text(folder: &Path, arguments: &[&str]) -> String {
    let output = dipmo(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn schemas_are_those_that_are_published() {
    let folder = Folder::new("schema");
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    for (arguments, file) in [
        (&["schema"][..], "dipmo.schema.json"),
        (&["schema", "config"], "dipmo.schema.json"),
        (&["schema", "cases"], "cases.schema.json"),
    ] {
        let published = std::fs::read_to_string(published.join(file)).unwrap();
        assert!(text(&folder.0, arguments) == published, "{arguments:?} is not {file}");
    }
}

#[test]
fn the_version_has_one_line_and_more_for_reports_and_scripts() {
    let folder = Folder::new("version");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(text(&folder.0, &["--version"]), format!("dipmo {version}\n"));
    let lines = text(&folder.0, &["version"]);
    assert!(lines.starts_with(&format!("dipmo {version}\n")), "{lines}");
    let told: Value =
        serde_json::from_str(&text(&folder.0, &["version", "--output", "json"])).unwrap();
    assert_eq!(told["version"], version);
    assert_eq!(told["schema"]["postgres"], dipmo_store_postgres::MIGRATIONS.len());
    assert_eq!(told["schema"]["sqlite"], dipmo_store_sqlite::MIGRATIONS.len());
    assert_eq!(told["libraries"]["sqlite"], rusqlite::version());
    for library in ["librdkafka", "sqlite"] {
        let version = told["libraries"][library].as_str().unwrap();
        assert!(version.split('.').count() >= 3, "{library} {version}");
        assert!(lines.contains(version), "{version} is not in {lines}");
    }
    assert!(told["target"].as_str().unwrap().starts_with(std::env::consts::ARCH), "{told}");
}

#[test]
fn bash_completes_commands_and_their_options() {
    let folder = Folder::new("completions");
    folder.write("dipmo.bash", &text(&folder.0, &["completions", "bash"]));
    let completed = |words: &[&str]| {
        // As bash itself does: it looks for the function of the command, and calls it with the words.
        let script = "source ./dipmo.bash
            function=$(complete -p dipmo | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))
            $function dipmo \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
            echo \"${COMPREPLY[*]}\"";
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", script, "bash"]).args(words).current_dir(&folder.0);
        let output = bash.output().unwrap();
        assert!(output.stderr.is_empty(), "{words:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(completed(&["dipmo", "mig"]), "migrate\n");
    assert_eq!(completed(&["dipmo", "migrate", "pl"]), "plan\n");
    assert_eq!(completed(&["dipmo", "check", "--dry"]), "--dry-run\n");
    assert_eq!(completed(&["dipmo", "version", "--output", ""]), "text json\n");
}

#[test]
fn every_shell_has_completions() {
    let folder = Folder::new("shells");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(text(&folder.0, &["completions", shell]).contains("migrate"), "{shell}");
    }
}

#[test]
fn help_and_wrong_arguments_have_no_colour() {
    let folder = Folder::new("plain");
    for arguments in
        [&["--help"][..], &["help", "migrate", "apply"], &["chekc"], &["run", "--wait", "x"]]
    {
        let said = said(&dipmo(&folder.0, arguments));
        assert!(!said.is_empty() && !said.contains('\u{1b}'), "{arguments:?}: {said}");
    }
}

#[test]
fn what_is_wrong_is_json_for_a_script_too() {
    let folder = Folder::new("problems");
    folder.write("dipmo.yaml", "dipmo: 1\nstoer: {}\n");
    for arguments in
        [&["check"][..], &["test"], &["migrate"], &["migrate", "plan"], &["migrate", "print"]]
    {
        let output = dipmo(&folder.0, &[arguments, &["--output", "json"]].concat());
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let problem = &told["problems"][0];
        assert_eq!(problem["code"], "config-unknown-key", "{arguments:?}: {told}");
        assert_eq!(problem["file"], "dipmo.yaml", "{told}");
        assert_eq!((&problem["line"], &problem["column"]), (&2.into(), &1.into()), "{told}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", said(&output));
    }
}
