//! A simulator of its own for each test, and a client that is just enough for bulk jobs.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

pub(crate) const JOBS: &str = "/services/data/v62.0/jobs/ingest";

/// A running simulator, which ends with this value.
pub(crate) struct Org {
    process: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

/// What a call is answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// A row of a result, by the name of its column.
pub(crate) type Row = BTreeMap<String, String>;

/// A job that is over.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) info: Json,
    pub(crate) successful: Vec<Row>,
    pub(crate) failed: Vec<Row>,
    pub(crate) unprocessed: Vec<Row>,
}

impl Org {
    /// With the standard objects.
    pub(crate) fn start() -> Self {
        Self::with_schema(&json!({}))
    }

    /// With what a schema adds to them.
    pub(crate) fn with_schema(schema: &Json) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut schema = schema.clone();
        schema["org"]["users"] = json!([{ "username": "user@bulk.example" }]);
        schema["org"]["apps"] = json!([{ "client_id": "bulk", "client_secret": "secret", "user": "user@bulk.example" }]);
        // JSON is YAML too.
        write!(file, "{schema}").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_salesforce-sim"));
        command.args(["--port", "0", "--schema"]).arg(file.path()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Json = serde_json::from_str(&line).unwrap();
        let address = told["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        let mut org = Org { process, address, token: String::new() };
        org.log_in();
        org
    }

    pub(crate) fn log_in(&mut self) {
        let form = "grant_type=client_credentials&client_id=bulk&client_secret=secret";
        let login =
            self.call("POST", "/services/oauth2/token", "application/x-www-form-urlencoded", form);
        self.token = login.json()["access_token"].as_str().unwrap().to_owned();
    }

    pub(crate) fn call(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: impl AsRef<[u8]>,
    ) -> Reply {
        let body = body.as_ref();
        let mut stream = self.send_head(method, path, content_type, body.len());
        // One that is refused early may be closed before all of it is sent.
        drop(stream.write_all(body));
        Reply::read(stream)
    }

    /// Sends all of a request but its body. By HTTP/1.0 an answer ends with its connection.
    pub(crate) fn send_head(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        length: usize,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, token) = (&self.address, &self.token);
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.call("GET", path, "application/json", "")
    }

    pub(crate) fn post(&self, path: &str, body: &Json) -> Reply {
        self.call("POST", path, "application/json", body.to_string())
    }

    /// A new job; answers its id.
    pub(crate) fn create(&self, spec: &Json) -> String {
        let reply = self.post(JOBS, spec);
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn upload(&self, job: &str, csv: impl AsRef<[u8]>) -> Reply {
        self.call("PUT", &format!("{JOBS}/{job}/batches"), "text/csv", csv)
    }

    pub(crate) fn set_state(&self, job: &str, state: &str) -> Reply {
        let body = json!({ "state": state }).to_string();
        self.call("PATCH", &format!("{JOBS}/{job}"), "application/json; charset=UTF-8", body)
    }

    pub(crate) fn poll(&self, job: &str) -> Json {
        self.get(&format!("{JOBS}/{job}")).json()
    }

    /// Polls until the job says what is awaited.
    pub(crate) fn wait_until(&self, job: &str, is_there: impl Fn(&Json) -> bool) -> Json {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let info = self.poll(job);
            if is_there(&info) {
                return info;
            }
            assert!(Instant::now() < deadline, "the job stays {info}");
        }
    }

    /// Waits for the end of the job.
    pub(crate) fn wait(&self, job: &str) -> Json {
        let end = self.get(&format!("/__sim/jobs/{job}/end"));
        assert_eq!(end.status, 200, "{}", end.body);
        end.json()
    }

    pub(crate) fn results(&self, job: &str, file: &str) -> Vec<Row> {
        let reply = self.get(&format!("{JOBS}/{job}/{file}"));
        assert_eq!(reply.status, 200, "{}", reply.body);
        table(&reply.body, ',')
    }

    /// A whole job, from its creation to its results.
    pub(crate) fn run(&self, spec: &Json, csv: impl AsRef<[u8]>) -> Done {
        let job = self.create(spec);
        let uploaded = self.upload(&job, csv);
        assert_eq!((uploaded.status, uploaded.body.as_str()), (201, ""));
        assert_eq!(self.set_state(&job, "UploadComplete").status, 200);
        let info = self.wait(&job);
        self.done(&job, info)
    }

    pub(crate) fn done(&self, job: &str, info: Json) -> Done {
        Done {
            info,
            successful: self.results(job, "successfulResults"),
            failed: self.results(job, "failedResults"),
            unprocessed: self.results(job, "unprocessedrecords"),
        }
    }

    /// The fields of a record by its external id; nothing where there is none.
    pub(crate) fn record(&self, object: &str, external_id: &str) -> Json {
        let records =
            self.get(&format!("/__sim/records/{object}?ExternalId__c={external_id}")).json();
        records["records"][0]["fields"].clone()
    }

    pub(crate) fn set_fault(&self, fault: &Json) {
        let reply = self.post("/__sim/faults", &json!({ "rules": [{ "fault": fault }] }));
        assert!(reply.status < 300, "{}", reply.body);
    }

    /// The memory of the process in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(self.proc("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1024
    }

    /// How long the process has worked, however busy the machine is.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(self.proc("stat")).unwrap();
        // The name of the program, in brackets, may have blanks.
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let hundredths: u64 =
            fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum();
        Duration::from_millis(hundredths * 10)
    }

    /// How many files and connections the process has open.
    pub(crate) fn open_files(&self) -> usize {
        std::fs::read_dir(self.proc("fd")).unwrap().count()
    }

    fn proc(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.process.id())
    }
}

impl Drop for Org {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Reply {
    pub(crate) fn read(mut stream: TcpStream) -> Reply {
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            // A connection is reset when it is closed before all of a request was read; what came
            // before that is the answer.
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
        }
        // An upload that was no UTF-8 may come back.
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) =
            answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, body: body.to_owned() }
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Reads CSV that is known to be good.
pub(crate) fn table(csv: &str, delimiter: char) -> Vec<Row> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    for character in csv.chars() {
        match character {
            '"' => quoted = !quoted,
            '\n' if !quoted => rows.push(vec![String::new()]),
            '\r' if !quoted => {}
            mark if mark == delimiter && !quoted => rows.last_mut().unwrap().push(String::new()),
            other => rows.last_mut().unwrap().last_mut().unwrap().push(other),
        }
    }
    // A row with one empty cell is none, and one of them follows the last line ending.
    rows.retain(|row| row != &[""]);
    let mut rows = rows.into_iter();
    let header = rows.next().unwrap_or_default();
    rows.map(|row| {
        assert_eq!(row.len(), header.len(), "{csv}");
        header.iter().cloned().zip(row).collect()
    })
    .collect()
}

#[test]
fn an_answer_before_a_reset_is_read() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    client.write_all(b"a request of which nothing is read").unwrap();
    server.peek(&mut [0]).unwrap();
    server.write_all(b"HTTP/1.0 413 Too large\r\n\r\nno").unwrap();
    // With bytes left to read, the kernel resets the connection.
    drop(server);
    let reply = Reply::read(client);
    assert_eq!((reply.status, reply.body.as_str()), (413, "no"));
}
