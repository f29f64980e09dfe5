//! Whom the client trusts.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use dipmo_salesforce::{Auth, Class, Client, ClientOptions, Secret, codes};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

const CERTIFICATE: &str = include_str!("keys/tls.cert.pem");
const KEY: &str = include_str!("keys/tls.key.pem");

/// A host that speaks TLS and gives everybody a token for this instance.
fn host(instance: impl Fn(&str) -> String + Send + 'static) -> String {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let body = format!(r#"{{"access_token":"00D!t","instance_url":"{}"}}"#, instance(&url));
    thread::spawn(move || {
        for tcp in listener.incoming() {
            let (mut tcp, mut tls) = (tcp.unwrap(), ServerConnection::new(config.clone()).unwrap());
            let mut stream = Stream::new(&mut tls, &mut tcp);
            // A client that does not trust us says so instead of asking.
            if stream.read(&mut [0; 4096]).is_ok() {
                let length = body.len();
                let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
                let _ = stream.flush();
            }
        }
    });
    url
}

fn options(url: &str, extra_roots: &[&str]) -> ClientOptions {
    let auth =
        Auth::ClientCredentials { client_id: "app".to_owned(), client_secret: Secret::new("hush") };
    let extra_roots = extra_roots.iter().map(|&pem| pem.to_owned()).collect();
    ClientOptions { extra_roots, ..ClientOptions::new(url, auth) }
}

#[tokio::test]
async fn a_host_is_trusted_by_an_extra_root_only() {
    let url = host(str::to_owned);
    // Another certificate, so that this does not depend on those of the machine.
    let other = include_str!("keys/app.cert.pem");
    let stranger = Client::new(options(&url, &[other])).unwrap();
    let error = stranger.login().await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, codes::UNREACHABLE.as_str()));
    assert!(error.to_string().contains("certificate"), "{error}");
    Client::new(options(&url, &[other, CERTIFICATE])).unwrap().login().await.unwrap();
}

#[tokio::test]
async fn a_token_is_not_sent_in_the_clear_after_an_encrypted_login() {
    let url = host(|url| url.replace("https:", "http:"));
    let client = Client::new(options(&url, &[CERTIFICATE])).unwrap();
    let error = client.login().await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Misconfigured, codes::WRONG_URL.as_str()));
    assert!(error.to_string().contains("not encrypted"), "{error}");
}

#[tokio::test]
async fn a_root_that_is_none_is_named() {
    for (pem, problem) in [("text", "extra_roots[1] has no certificate"), (KEY, "extra_roots[1]")] {
        let error = Client::new(options("https://localhost:1", &[CERTIFICATE, pem])).unwrap_err();
        assert_eq!(error.code(), codes::OPTIONS_INVALID.as_str());
        assert!(error.message().contains(problem), "{error}");
    }
}
