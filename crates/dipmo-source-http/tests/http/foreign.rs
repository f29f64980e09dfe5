//! curl, as a client that shares no code with us: over plain text, TLS, and with a certificate of its own.

use std::sync::Arc;

use dipmo_domain::Coded as _;
use dipmo_source_http::{Auth, HttpSource, Tls};
use tokio::process::Command;

use crate::certificates::Certificates;
use crate::rig::{Folder, Running, SHOP, inbound, options, rows};

/// Posts an order and answers the exit code, the status, and the body.
async fn curl(arguments: &[&str], url: &str) -> (i32, String) {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--noproxy", "*", "--max-time", "60", "--write-out", " %{http_code}"]);
    curl.args(["--header", "Idempotency-Key: K-1", "--json", r#"{"orderId":"O-1"}"#]);
    let output = curl.args(arguments).arg(url).output().await;
    let output = output.expect("no curl: type `sudo apt-get install -y curl`");
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_posts_an_order() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let url = format!("http://{}/orders/publish", running.address);
    let (_, said) = curl(&["--oauth2-bearer", SHOP], &url).await;
    assert!(
        said.starts_with(r#"{"status":"accepted","key":"K-1""#) && said.ends_with(" 202"),
        "{said}"
    );
    assert_eq!(rows(&store).await.len(), 1);
    running.stop().await;
}

fn tls(certificates: &Certificates, client_authority: Option<String>) -> Tls {
    let (certificate, key) = (certificates.text("server.pem"), certificates.text("server.key"));
    Tls { certificate, key, client_authority }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_posts_over_tls() {
    let (folder, certificates) = (Folder::new(), Certificates::new());
    let mut options = options();
    options.tls = Some(tls(&certificates, None));
    let running = Running::new(options, folder.store().await as _).await;
    let url = format!("https://localhost:{}/orders/publish", running.address.port());
    let ca = certificates.file("ca.pem");
    let trusting = ["--oauth2-bearer", SHOP, "--cacert", ca.to_str().unwrap()];
    let (_, said) = curl(&trusting, &url).await;
    assert!(said.ends_with(" 202"), "{said}");
    let (code, _) = curl(&["--oauth2-bearer", SHOP], &url).await;
    assert_eq!(code, 60, "who does not know the authority does not talk to us");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_the_login_and_its_name_the_client() {
    let (folder, certificates) = (Folder::new(), Certificates::new());
    let store = folder.store().await;
    let mut options = options();
    options.auth = Auth::Certificates { clients: vec!["shop.example".to_owned()] };
    options.tls = Some(tls(&certificates, Some(certificates.text("ca.pem"))));
    let running = Running::new(options, Arc::clone(&store) as _).await;
    let url = format!("https://localhost:{}/orders/publish", running.address.port());
    let ca = certificates.file("ca.pem");
    let as_client = async |name: &str| {
        let files = ["pem", "key"].map(|end| certificates.file(&format!("{name}.{end}")));
        let [certificate, key] = files.map(|file| file.to_str().unwrap().to_owned());
        let ca = ca.to_str().unwrap();
        curl(&["--cacert", ca, "--cert", &certificate, "--key", &key], &url).await
    };
    let (_, said) = as_client("shop").await;
    assert!(said.ends_with(" 202"), "{said}");
    let (_, said) = as_client("till").await;
    assert!(said.contains("http-forbidden") && said.ends_with(" 403"), "{said}");
    let (code, said) = curl(&["--cacert", ca.to_str().unwrap()], &url).await;
    assert!(code != 0 && said.ends_with(" 000"), "without a certificate: {code} {said}");
    let rows = rows(&store).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].message.message_id, "/orders/publish:shop.example:K-1");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_that_cannot_be_is_said_before_anybody_listens() {
    let (folder, certificates) = (Folder::new(), Certificates::new());
    let store = folder.store().await;
    let good = tls(&certificates, None);
    let authority = Some(certificates.text("ca.pem"));
    let by_certificate = || Auth::Certificates { clients: Vec::new() };
    let by_token = options().auth;
    let cases = [
        (by_certificate(), None),
        (by_certificate(), Some(good.clone())),
        (by_token.clone(), Some(Tls { client_authority: authority, ..good.clone() })),
        (by_token.clone(), Some(Tls { certificate: "text".to_owned(), ..good.clone() })),
        (by_token.clone(), Some(Tls { key: certificates.text("shop.key"), ..good.clone() })),
        (by_token, Some(Tls { key: "hush".to_owned(), ..good })),
    ];
    for (auth, tls) in cases {
        let mut options = options();
        (options.auth, options.tls) = (auth, tls);
        let inbox = Arc::clone(&store);
        let Err(error) = HttpSource::new(options, inbound(), inbox) else { panic!("it was taken") };
        assert_eq!(error.code().as_str(), "http-tls-invalid");
        assert!(!error.to_string().contains("hush") && !error.to_string().contains("PRIVATE"));
    }
}
