//! What somebody has who follows the page: a folder, the programs that it names, and a shell.
//!
//! Where everybody has the same address, such as the port of health, a test has one of its own. The only one that the page
//! prints is that of Salesforce, which stands there as [`SHOWN`].

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::page::Reader;
use crate::salesforce;
use crate::shell::Shell;

/// Others wrote them; the first one is what tests with Kafka's clients use as well.
const PROGRAMS: [&str; 4] = ["kcat", "curl", "jq", "sqlite3"];

/// Where Salesforce is on the page.
const SHOWN: &str = "127.0.0.1:40123";

pub(crate) struct Desk {
    shell: Shell,
    folder: TempDir,
    /// Where Salesforce is.
    org: String,
}

impl Desk {
    /// A desk from which Kafka and PostgreSQL are reached at these addresses.
    pub(crate) fn new(brokers: &str, database: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let programs = folder.path().join("programs");
        std::fs::create_dir(&programs).unwrap();
        let [health, org] = [free_port(10_000), free_port(20_000)];
        program(&programs, "salesforce-sim", &salesforce::script(org));
        program(&programs, "dipmo", &dipmo(health));
        let others = std::env::var("PATH").unwrap();
        let path = format!("{}:{others}", programs.display());
        let variables =
            [("PATH", path.as_str()), ("KAFKA_BROKERS", brokers), ("DATABASE_URL", database)];
        let mut shell = Shell::start(folder.path(), variables);
        for name in PROGRAMS {
            assert!(
                !shell.types(&format!("type -P {name}")).unwrap().is_empty(),
                "no {name}: run `cargo xtask services clients`"
            );
        }
        Self { shell, folder, org: format!("127.0.0.1:{org}") }
    }
}

impl Reader for Desk {
    fn folder(&self) -> PathBuf {
        let here = self.folder.path().join("customers");
        if here.exists() { here } else { self.folder.path().to_owned() }
    }

    fn types(&mut self, command: &str) -> String {
        let said = self.shell.types(command).unwrap_or_else(|problem| {
            let log = std::fs::read_to_string(self.folder().join("dipmo.log"));
            panic!("{problem}\nThe log says:\n{}", log.unwrap_or_default())
        });
        said.replace(&self.org, SHOWN)
    }
}

/// dipmo, whose health is told and asked for at another port.
fn dipmo(health: u16) -> String {
    let program = env!("CARGO_BIN_EXE_dipmo");
    format!(
        "case $1 in\n\
         run) exec '{program}' \"$@\" --health 127.0.0.1:{health};;\n\
         health) exec '{program}' \"$@\" --address 127.0.0.1:{health};;\n\
         *) exec '{program}' \"$@\";;\n\
         esac\n"
    )
}

fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/bash\n{script}")).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// A port that nobody has now, and that the system gives to nobody who asks for any: it is taken minutes later.
fn free_port(first: u16) -> u16 {
    let mine = first + u16::try_from(std::process::id() % 5_000).unwrap();
    (mine..).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}
