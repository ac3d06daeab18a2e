//! TLS as careless people run it: certificates that are their own issuers, servers that leave without a word.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use aiperf_address::{ConnectionUse, HttpVersion, Origin, Scheme, TlsOptions};
use aiperf_clock::Nanos;
use aiperf_test_server::read_request;
use aiperf_transport::{Client, ClientSettings, Exchange, NoObserver, Request, Resend, TlsSettings, TransportError};
use base64::Engine as _;
use bytes::Bytes;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const SIZED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const UNSIZED: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nok";

/// What `openssl req -x509` makes for `localhost`, and the server's side with it.
fn own_issuer() -> (String, Arc<ServerConfig>) {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        )
        .unwrap();
    let body = base64::engine::general_purpose::STANDARD.encode(certificate.der());
    (format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"), Arc::new(config))
}

/// On each connection answers one request, waits for `more` of them, and closes the socket beneath TLS.
fn serve(config: Arc<ServerConfig>, answer: &'static [u8], more: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(tls, socket.unwrap());
            if read_request(&mut stream, 1).is_some() {
                stream.write_all(answer).unwrap();
                (0..more).for_each(|_| _ = read_request(&mut stream, 1));
            }
        }
    });
    port
}

fn client(roots: Option<&Path>) -> Client {
    let options = TlsOptions { roots: roots.map(Path::to_owned), ..TlsOptions::default() };
    let tls = Some(TlsSettings::new(options, HttpVersion::Http1).unwrap());
    // A machine that is slow to notice a close does not change what is resent.
    let resend = Resend::IfLeftWithin(Nanos(30_000_000_000));
    Client::new(ClientSettings { tls, resend, ..ClientSettings::default() })
}

fn ask(client: &Client, host: &str, port: u16, times: usize) -> Vec<Result<Exchange, TransportError>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let origin = Origin { scheme: Scheme::Https, host: host.to_owned(), port };
    runtime.block_on(async {
        let mut all = Vec::new();
        for _ in 0..times {
            let request = Request::post(&origin, "/", [("Host", host)], Bytes::from_static(b"{}"));
            let mut exchange = Exchange::default();
            let sent = client.send(&request, ConnectionUse::Pooled, &mut exchange, &NoObserver).await;
            all.push(sent.map(|()| exchange));
        }
        all
    })
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn a_certificate_that_is_its_own_issuer_is_good_where_it_is_trusted_itself() {
    let (pem, config) = own_issuer();
    let port = serve(config, SIZED, 0);
    let trusted = client(Some(file(&pem).path()));
    assert_eq!(ask(&trusted, "localhost", port, 1)[0].as_ref().unwrap().body, b"ok");
    let other_name = ask(&trusted, "127.0.0.1", port, 1).remove(0).unwrap_err().to_string();
    assert!(other_name.contains("not for 127.0.0.1") && other_name.contains("localhost"), "{other_name}");

    let (stranger, _) = own_issuer();
    let unknown = ask(&client(Some(file(&stranger).path())), "localhost", port, 1).remove(0).unwrap_err();
    assert!(matches!(unknown, TransportError::Tls { certificate: true, .. }), "{unknown:?}");
    assert!(unknown.to_string().contains("--ca-cert"), "{unknown}");
}

#[test]
fn a_body_that_ends_with_the_connection_is_whole_without_a_farewell() {
    let (pem, config) = own_issuer();
    let port = serve(config, UNSIZED, 0);
    let answers = ask(&client(Some(file(&pem).path())), "localhost", port, 2);
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap().body == b"ok"), "{answers:?}");
}

#[test]
fn a_kept_connection_that_is_left_without_a_farewell_is_replaced() {
    let (pem, config) = own_issuer();
    let port = serve(config, SIZED, 1);
    let answers = ask(&client(Some(file(&pem).path())), "localhost", port, 3);
    let resent: Vec<u32> = answers.iter().map(|answer| answer.as_ref().unwrap().resent).collect();
    assert_eq!(resent, [0, 1, 1]);
}

#[test]
fn a_server_that_does_not_speak_tls_is_told_from_one_that_does() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0_u8; 64]);
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").unwrap();
        let _ = socket.read(&mut [0_u8; 4096]);
    });
    let (pem, _) = own_issuer();
    let error = ask(&client(Some(file(&pem).path())), "localhost", port, 1).remove(0).unwrap_err().to_string();
    assert!(error.contains("does not speak TLS") && error.contains("http://"), "{error}");
}
