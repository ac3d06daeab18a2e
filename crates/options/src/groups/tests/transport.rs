//! How requests travel.

use aiperf_address::{Address, HttpVersion, Scheme};
use aiperf_config::Target;

use super::{check, with_model};

#[test]
fn version_and_source_addresses_reach_the_configuration() {
    let plain = with_model(&[]).unwrap().endpoint;
    assert_eq!((plain.http_version, plain.source_addresses.len()), (HttpVersion::Http1, 0));
    let words = ["--http-version=2", "--source-address=10.0.0.1,10.0.0.2,::1"];
    let config = with_model(&words).unwrap();
    assert_eq!(config.endpoint.http_version, HttpVersion::Http2);
    let addresses: Vec<_> = config.endpoint.source_addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["10.0.0.1", "10.0.0.2", "::1"]);
    let shown = &config.to_input_config()["endpoint"];
    assert_eq!((&shown["http_version"], &shown["source_addresses"][2]), (&"2".into(), &"::1".into()));
}

#[test]
fn a_unix_socket_is_a_target() {
    let config = with_model(&["--url=unix:/run/server.sock"]).unwrap();
    assert_eq!(config.endpoint.targets, [Target::Url(Address::parse("unix:/run/server.sock", Scheme::Http).unwrap())]);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    check(&[
        (&["--http-version=3"], &["--http-version", "1.1, 2"]),
        (&["--http-version=2", "--url=sim:"], &["--http-version", "HTTP/1.1 only"]),
        (&["--source-address=eth0"], &["--source-address", "eth0", "IP address"]),
        (&["--url=unix:server.sock"], &["--url", "unix:/run/server.sock"]),
    ]);
}
