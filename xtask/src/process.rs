//! Running commands so that an interrupt ends them too.
//!
//! **Invariant:** every child runs in a process group of its own. Ctrl-C therefore reaches this
//! tool alone, which then ends the whole group: no test binary outlives its cargo, and no
//! service dies before the tests that use it.

use std::io::{BufRead, BufReader, PipeReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How often a wait looks at the interrupt flag.
pub(crate) const TICK: Duration = Duration::from_millis(25);

/// How long an interrupted command may take to end by itself.
const GRACE: Duration = Duration::from_secs(5);

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The person pressed Ctrl-C, or the process was asked to terminate.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) success: bool,
    pub(crate) timed_out: bool,
    pub(crate) took: Duration,
}

/// From now on signals set a flag, so that guards clean up on the way out.
pub(crate) fn watch_signals() -> Result<()> {
    let flag = INTERRUPTED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(flag))
            .context("cannot watch for signals")?;
    }
    Ok(())
}

/// Fails with [`Interrupted`] once a signal has arrived.
pub(crate) fn check() -> Result<()> {
    match INTERRUPTED.get() {
        Some(flag) if flag.load(Ordering::Relaxed) => Err(Interrupted.into()),
        _ => Ok(()),
    }
}

/// Runs `command` and hands over each line of its output as it comes.
///
/// Both streams share one pipe: cargo names the test binary on one and the binary reports on the
/// other, and only a shared pipe keeps them in order. A command that says nothing for as long as
/// `silence` is ended.
pub(crate) fn lines(
    mut command: Command,
    silence: Option<Duration>,
    mut each: impl FnMut(&str),
) -> Result<Ended> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    command.stdout(writer.try_clone().context("cannot share a pipe")?);
    command.stderr(writer);
    let started = Instant::now();
    let mut child = spawn(&mut command)?;
    // The command holds ends of the pipe, which must close for the reader to see the end.
    drop(command);
    let incoming = read_lines(reader);
    let mut exited = None;
    let mut heard = started;
    loop {
        match incoming.recv_timeout(TICK) {
            Ok(line) => {
                heard = Instant::now();
                each(&line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            // A grandchild that stays behind may keep the pipe open: the exit ends the reading.
            Err(RecvTimeoutError::Timeout) if exited.is_some() => break,
            Err(RecvTimeoutError::Timeout) => exited = child.try_wait()?,
        }
        end_if_interrupted(&mut child)?;
        if silence.is_some_and(|silence| heard.elapsed() > silence) {
            end_group(&mut child);
            return Ok(Ended { success: false, timed_out: true, took: started.elapsed() });
        }
    }
    let status = exited.map_or_else(|| wait(&mut child), Ok)?;
    Ok(Ended { success: status.success(), timed_out: false, took: started.elapsed() })
}

/// Runs `command` and returns all that it printed.
pub(crate) fn output(command: Command) -> Result<(Ended, String)> {
    let mut text = String::new();
    let ended = lines(command, None, |line| {
        text.push_str(line);
        text.push('\n');
    })?;
    Ok((ended, text))
}

/// Runs `command` with the streams of this tool.
pub(crate) fn pass_through(mut command: Command) -> Result<ExitStatus> {
    let mut child = spawn(&mut command)?;
    wait(&mut child)
}

fn spawn(command: &mut Command) -> Result<Child> {
    check()?;
    let program = command.get_program().to_owned();
    command
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))
}

fn read_lines(reader: PipeReader) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut bytes = Vec::new();
        while matches!(reader.read_until(b'\n', &mut bytes), Ok(1..)) {
            let line = String::from_utf8_lossy(&bytes);
            if sender.send(line.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                break;
            }
            bytes.clear();
        }
    });
    receiver
}

fn wait(child: &mut Child) -> Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        end_if_interrupted(child)?;
        std::thread::sleep(TICK);
    }
}

fn end_if_interrupted(child: &mut Child) -> Result<()> {
    check().inspect_err(|_| end_group(child))
}

/// Asks the group to end, and makes it end after a grace period.
fn end_group(child: &mut Child) {
    let group = Pid::from_child(child);
    let deadline = Instant::now() + GRACE;
    // An error here means that the group is gone already.
    let _ = kill_process_group(group, Signal::INT);
    while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(TICK);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}
