//! A PostgreSQL of one test's own that speaks TLS: the one that tests share does not.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// Whoever is `guarded` shows a certificate; who is `dipmo` is let in as they come.
const WHO_MAY: &str = "hostssl all guarded all cert\nhost all dipmo all trust\n";

/// Its certificate is for `localhost` alone, by an authority of its own. There is a second authority, which has
/// signed nothing, and a certificate of the client `guarded`.
pub(crate) struct OwnServer {
    child: Child,
    folder: TempDir,
    /// PostgreSQL runs as nobody but the account that the shared one runs as: root may not.
    account: u32,
    binaries: PathBuf,
    port: u16,
}

impl OwnServer {
    pub(crate) fn start() -> Self {
        let (binaries, account) = shared();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        let data = path.join("data");
        fs::create_dir(&data).unwrap();
        chown(&data, Some(account), None).unwrap();
        make_certificates(path);
        fs::set_permissions(path.join("server.key"), Permissions::from_mode(0o600)).unwrap();
        chown(path.join("server.key"), Some(account), None).unwrap();
        let init = "-U dipmo -A trust --encoding=UTF8 --no-locale --no-sync -D data";
        run(command(&binaries.join("initdb"), account, path).args(init.split(' ')));
        fs::write(data.join("pg_hba.conf"), WHO_MAY).unwrap();

        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut postgres = command(&binaries.join("postgres"), account, path);
        postgres.args(["-D", "data", "-h", "localhost", "-p", &port.to_string(), "-k", ""]);
        for setting in [
            "ssl=on",
            "ssl_cert_file=../server.pem",
            "ssl_key_file=../server.key",
            "ssl_ca_file=../ca.pem",
            "fsync=off",
            "dynamic_shared_memory_type=mmap",
        ] {
            postgres.args(["-c", setting]);
        }
        let child = postgres.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { child, folder, account, binaries, port };
        server.until_ready();
        server
    }

    /// The URL of a user at a name of this machine, with what it says of TLS; `{}` in it is the folder of the
    /// certificates.
    pub(crate) fn url(&self, user: &str, host: &str, tls: &str) -> String {
        let folder = self.folder.path().display().to_string();
        format!("postgres://{user}@{host}:{}/postgres?{}", self.port, tls.replace("{}", &folder))
    }

    fn until_ready(&self) {
        let (file, began) = (self.folder.path().join("data/postmaster.pid"), Instant::now());
        // Its last line says how the server is.
        while !fs::read_to_string(&file).is_ok_and(|text| text.trim_end().ends_with("ready")) {
            assert!(began.elapsed() < PATIENCE, "a PostgreSQL with TLS does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let stop = "stop -m immediate -D data";
        let control = self.binaries.join("pg_ctl");
        run(command(&control, self.account, self.folder.path()).args(stop.split(' ')));
        self.child.wait().unwrap();
    }
}

/// Where the programs of the shared server are, and whom it runs as.
fn shared() -> (PathBuf, u32) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/postgres-15.json");
    let state = fs::read_to_string(file);
    let state = state.expect("no PostgreSQL of ours is up: run `cargo xtask services up`");
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let program = fs::read_link(format!("/proc/{}/exe", state["pid"])).unwrap();
    let account = fs::metadata(state["data"].as_str().unwrap()).unwrap().uid();
    (program.parent().unwrap().to_owned(), account)
}

fn command(program: &Path, account: u32, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    // Only root can be somebody else, and whoever is not root is that account already.
    if fs::metadata("/proc/self").unwrap().uid() != account {
        command.uid(account);
    }
    command
}

fn run(command: &mut Command) {
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

fn make_certificates(folder: &Path) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    for authority in ["ca", "stranger"] {
        let extension = "-addext basicConstraints=critical,CA:TRUE";
        let subject = format!("-x509 -days 2 -subj /CN={authority}");
        let files = format!("-keyout {authority}.key -out {authority}.pem");
        openssl(folder, &format!("req {subject} {key} {extension} {files}"));
    }
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost").unwrap();
    for name in ["server", "guarded"] {
        openssl(folder, &format!("req -subj /CN={name} {key} -keyout {name}.key -out {name}.csr"));
        let by = "-CA ca.pem -CAkey ca.key -CAcreateserial -extfile names";
        openssl(folder, &format!("x509 -req -days 2 -in {name}.csr {by} -out {name}.pem"));
    }
}

fn openssl(folder: &Path, arguments: &str) {
    run(Command::new("openssl").current_dir(folder).args(arguments.split(' ')));
}
