//! `docs/guide/operate.md` is true. `DIPMO_RENEW=1 cargo test -p dipmo --test operate guide` writes its prints anew.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use dipmo_store::admin::SloCount;

use crate::page::{self, Reader};
use crate::shop::Shop;

impl Reader for Shop {
    fn folder(&self) -> PathBuf {
        self.0.0.clone()
    }

    fn types(&mut self, command: &str) -> String {
        match command.split_whitespace().collect::<Vec<_>>()[..] {
            ["dipmo", ref arguments @ ..] => self.shows(arguments),
            _ => panic!("nobody knows the command {command}"),
        }
    }
}

impl Shop {
    /// Both streams in the order in which a terminal shows them.
    fn shows(&self, arguments: &[&str]) -> String {
        let (mut screen, terminal) = std::io::pipe().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
        command.args(arguments).current_dir(&self.0.0).env_clear().stdin(Stdio::null());
        command.stdout(terminal.try_clone().unwrap()).stderr(terminal);
        let mut child = command.spawn().unwrap();
        // It would keep the pipe open.
        drop(command);
        let mut shown = String::new();
        screen.read_to_string(&mut shown).unwrap();
        child.wait().unwrap();
        shown
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stuck_is_put_right_as_the_guide_says() {
    let mut shop = Shop::open("operate-guide").await;
    // As instances count that ran for a while.
    let count = |name: &str, good, total| SloCount { name: name.to_owned(), good, total };
    let counts = [
        count("latency 60000ms", 41_997, 42_009),
        count("delivered", 42_009, 42_034),
        count("processed", 45_180, 45_182),
    ];
    shop.counts(&counts).await;
    page::follow("operate.md", &mut shop);
}
