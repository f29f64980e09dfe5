//! What somebody sees who sits at a terminal: a question before anything is changed, colour, and lines that fit.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::shop::Shop;

/// Types a command at a terminal of 80 columns, and then an answer; says how it ended and what was on the screen.
fn types(shop: &Shop, arguments: &[&str], answer: &str) -> (Option<i32>, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let terminal = File::options().read(true).write(true).open(path).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
    command.args(arguments).current_dir(&shop.0.0).env_clear().env("TERM", "xterm");
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap());
    let mut child = command.stderr(terminal).spawn().unwrap();
    // It would keep the terminal open.
    drop(command);
    let mut master = File::from(master);
    master.write_all(answer.as_bytes()).unwrap();
    let mut screen = Vec::new();
    // A terminal that nobody has any more ends with an error.
    drop(master.read_to_end(&mut screen));
    (child.wait().unwrap().code(), String::from_utf8_lossy(&screen).replace('\r', ""))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sits_at_a_terminal_sees_what_it_is_about_and_is_asked() {
    let shop = Shop::open("operate-asked").await;
    let retry = ["inbox", "retry", "--code", "ORDER_UNKNOWN", "--reason", "INC-17"];
    let (code, screen) = types(&shop, &retry, "no\n");
    assert_eq!(code, Some(1), "{screen}");
    assert!(screen.contains("2 to retry\n          2  FAILED\nids: 3, 5\n"), "{screen}");
    assert!(screen.contains("retry them? Type yes:\n"), "{screen}");
    assert!(screen.contains("nothing was changed"), "{screen}");
    assert_eq!(shop.status("3"), "FAILED");
    let (code, screen) = types(&shop, &retry, "yes\n");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("operation 1 has ended: 2 of 2 met"), "{screen}");
    assert_eq!(shop.status("3"), "RETRY");
    let (code, screen) =
        types(&shop, &["inbox", "skip", "--type", "OrderPlaced", "--reason", "x"], "");
    assert!(code == Some(0) && screen.contains("nothing to skip"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_has_colour_and_fits() {
    let shop = Shop::open("operate-fits").await;
    let (code, screen) = types(&shop, &["inbox", "list"], "");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("\u{1b}[1;31mFAILED"), "{screen}");
    let plain =
        screen.replace("\u{1b}[1;31m", "").replace("\u{1b}[1;32m", "").replace("\u{1b}[0m", "");
    let table: Vec<&str> = plain.lines().take(7).collect();
    assert!(table.iter().all(|line| line.chars().count() <= 80), "{plain}");
    assert!(table[1].ends_with('…'), "{plain}");
    let (code, screen) = types(&shop, &["top", "--times", "2", "--every", "1"], "");
    assert!(
        code == Some(0) && screen.contains("where") && screen.contains("ORDER_UNKNOWN"),
        "{screen}"
    );
}
