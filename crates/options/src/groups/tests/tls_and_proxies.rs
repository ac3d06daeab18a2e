//! TLS, proxies and calls to the servers: what the options and variables come to, and what does not go together.

use std::path::{Path, PathBuf};

use aiperf_address::{ClientCertificate, ConnectionReuse, Credentials, Proxies, Proxy, Secret, Verification};
use aiperf_config::{Config, Environment};
use serde_json::json;

use super::{check, raw, with_model};
use crate::ConfigError;

/// Resolved with these variables in the environment.
fn within(variables: &[(&str, &str)], words: &[&str]) -> Result<Config, ConfigError> {
    let all: Vec<&str> = ["--model=m"].into_iter().chain(words.iter().copied()).collect();
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    raw(&all).resolve(&Environment { variables, current_dir: "/somewhere".into(), ..Environment::default() })
}

const TRUST: (&str, &str) = ("AIPERF_HTTP_TRUST_ENV", "true");

fn proxies(variables: &[(&str, &str)]) -> Proxies {
    within(&[&[TRUST], variables].concat(), &[]).unwrap().endpoint.proxies
}

fn place(proxy: Option<&Proxy>) -> Option<(&str, u16, bool)> {
    proxy.map(|proxy| (proxy.origin.host.as_str(), proxy.origin.port, proxy.origin.scheme.is_secure()))
}

#[test]
fn certificates_are_files_beside_the_working_folder() {
    let tls = with_model(&["--url=https://h", "--ca-cert=ca.pem", "--client-cert=/c.pem", "--client-key=k.pem"])
        .unwrap()
        .endpoint
        .tls;
    assert_eq!(tls.roots.as_deref(), Some(Path::new("/somewhere/ca.pem")));
    let (certificate, key) = (PathBuf::from("/c.pem"), PathBuf::from("/somewhere/k.pem"));
    assert_eq!(tls.client, Some(ClientCertificate { certificate, key }));
    let both = with_model(&["--url=https://h", "--client-cert=both.pem", "--insecure"]).unwrap();
    let path = PathBuf::from("/somewhere/both.pem");
    assert_eq!(both.endpoint.tls.client, Some(ClientCertificate { certificate: path.clone(), key: path }));
    assert!(
        both.endpoint.tls.verification == Verification::Off
            && both.warnings.iter().any(|warning| warning.contains("--insecure"))
    );
    let shown = &both.to_input_config()["endpoint"];
    assert_eq!((&shown["insecure"], &shown["client_cert"]), (&json!(true), &json!("/somewhere/both.pem")));
}

#[test]
fn tls_options_that_would_do_nothing_are_refused() {
    for option in ["--ca-cert=x", "--client-cert=x", "--client-key=x", "--insecure"] {
        let name = option.split('=').next().unwrap();
        check(&[(&[option], &[name, "https://"]), (&[option, "--url=unix:/run/s.sock"], &[name, "https://"])]);
    }
    check(&[
        (&["--url=https://h", "--ca-cert=x", "--insecure"], &["--ca-cert", "--insecure"]),
        (&["--url=https://h", "--client-key=x"], &["--client-key", "--client-cert"]),
        (&["--url=https://h", "--ca-cert="], &["--ca-cert", "PEM file"]),
    ]);
    let off = [("AIPERF_HTTP_SSL_VERIFY", "false")];
    let message = within(&off, &["--url=https://h", "--ca-cert=x"]).unwrap_err().to_string();
    assert!(message.contains("--ca-cert") && message.contains("AIPERF_HTTP_SSL_VERIFY"), "{message}");
}

#[test]
fn proxies_are_read_from_either_case_and_the_lower_one_wins() {
    let read = proxies(&[("HTTP_PROXY", "http://upper:1"), ("http_proxy", "lower"), ("HTTPS_PROXY", "https://tls")]);
    assert_eq!(place(read.http.as_ref()), Some(("lower", 80, false)));
    assert_eq!(place(read.https.as_ref()), Some(("tls", 443, true)));
    let read =
        proxies(&[("ALL_PROXY", "http://[::1]:3128/"), ("HTTPS_PROXY", " "), ("NO_PROXY", " a.com , .b.com:80,,")]);
    assert_eq!(place(read.http.as_ref()), Some(("::1", 3128, false)));
    assert_eq!(place(read.https.as_ref()), Some(("::1", 3128, false)));
    assert_eq!(read.bypass, ["a.com", ".b.com:80"]);
    assert_eq!(proxies(&[]), Proxies::default());
}

#[test]
fn a_user_and_password_are_decoded_and_kept_to_ourselves() {
    let read = proxies(&[("http_proxy", "http://me:p%40ss:w%C3%BC@proxy:3128")]);
    let credentials = read.http.as_ref().unwrap().credentials.clone();
    assert_eq!(credentials, Some(Credentials { user: "me".to_owned(), password: Secret("p@ss:wü".to_owned()) }));
    assert!(!format!("{read:?}").contains("ss:w"), "{read:?}");
}

#[test]
fn a_proxy_that_cannot_be_used_is_refused_only_where_it_would_be() {
    for (value, words) in [
        ("socks5://proxy:1080", "SOCKS"),
        ("ftp://proxy", "http://user:password@host:port"),
        ("http://me:hush@proxy:0", "http://user:password@host:port"),
        ("me:hush@", "http://user:password@host:port"),
    ] {
        let variable = [("ALL_PROXY", value)];
        assert!(within(&variable, &[]).is_ok(), "{value}");
        let message = within(&[variable[0], TRUST], &[]).unwrap_err().to_string();
        assert!(message.contains("ALL_PROXY") && message.contains(words), "{message}");
        assert!(!message.contains("hush"), "{message}");
    }
}

#[test]
fn plain_http_2_does_not_go_through_a_proxy() {
    let variables = [TRUST, ("HTTP_PROXY", "http://p"), ("HTTPS_PROXY", "http://p")];
    let message = within(&variables, &["--http-version=2"]).unwrap_err().to_string();
    assert!(message.contains("--http-version 2") && message.contains("HTTP_PROXY"), "{message}");
    assert!(within(&variables, &["--http-version=2", "--url=https://h"]).is_ok());
}

#[test]
fn closing_every_connection_is_never_reusing_one() {
    let close = [("AIPERF_HTTP_FORCE_CLOSE", "true")];
    let reuse = within(&close, &[]).unwrap().endpoint.connection_reuse;
    assert_eq!(reuse, ConnectionReuse::Never);
    let message = within(&close, &["--connection-reuse-strategy=pooled"]).unwrap_err().to_string();
    assert!(message.contains("AIPERF_HTTP_FORCE_CLOSE"), "{message}");
}

#[test]
fn a_call_to_the_server_is_switched_on_by_any_of_its_options() {
    let plain = with_model(&[]).unwrap().endpoint;
    assert_eq!((plain.reset_kv_cache, plain.server_profiler), (None, None));
    for word in ["--reset-kv-cache", "--reset-kv-cache-timeout-seconds=30", "--reset-kv-cache-path=/reset_prefix_cache"]
    {
        let config = with_model(&[word]).unwrap();
        assert_eq!(
            config.to_input_config()["endpoint"]["reset_kv_cache"],
            json!({"timeout_seconds": 30.0, "max_retry_seconds": 60.0, "path": "/reset_prefix_cache"})
        );
    }
    for word in [
        "--server-profiler",
        "--server-profiler-timeout-seconds=30",
        "--server-profiler-start-path=/start_profile",
        "--server-profiler-stop-path=/stop_profile",
    ] {
        let config = with_model(&[word]).unwrap();
        assert_eq!(
            config.to_input_config()["endpoint"]["server_profiler"],
            json!({"timeout_seconds": 30.0, "start_path": "/start_profile", "stop_path": "/stop_profile"})
        );
    }
}

#[test]
fn paths_of_calls_begin_with_a_slash() {
    for option in ["--reset-kv-cache-path", "--server-profiler-start-path", "--server-profiler-stop-path"] {
        for value in ["reset", "http://h/reset", "//h/reset", "/re set", ""] {
            check(&[(&[&format!("{option}={value}")], &[option])]);
        }
    }
    check(&[
        (&["--reset-kv-cache-timeout-seconds=0"], &["--reset-kv-cache-timeout-seconds", "above 0"]),
        (&["--server-profiler-timeout-seconds=-1"], &["--server-profiler-timeout-seconds", "above 0"]),
        (&["--reset-kv-cache=false", "--reset-kv-cache-path=/x"], &["--reset-kv-cache", "turn it on"]),
    ]);
}

#[test]
fn socket_and_name_settings_come_from_the_environment() {
    let tuning = within(
        &[("AIPERF_HTTP_SO_RCVBUF", "4096"), ("AIPERF_HTTP_TCP_KEEPCNT", "3"), ("AIPERF_HTTP_USE_DNS_CACHE", "no")],
        &[],
    )
    .unwrap()
    .tuning;
    assert_eq!((tuning.socket.receive_buffer, tuning.socket.keepalive_count), (Some(4096), 3));
    assert!(tuning.dns_cache.is_zero());
    let message = within(&[("AIPERF_HTTP_SO_SNDBUF", "10")], &[]).unwrap_err().to_string();
    assert!(message.contains("AIPERF_HTTP_SO_SNDBUF"), "{message}");
}

#[test]
fn requests_are_sent_again_unless_that_is_not_wanted() {
    assert!(with_model(&[]).unwrap().endpoint.resend);
    let config = with_model(&["--no-resend"]).unwrap();
    assert!(!config.endpoint.resend);
    assert_eq!(config.to_input_config()["endpoint"]["no_resend"], true);
}

#[test]
fn certificates_that_a_variable_leaves_unchecked_are_warned_of_where_there_are_any() {
    let unchecked = |url: &str| {
        let config = within(&[("AIPERF_HTTP_SSL_VERIFY", "false")], &[&format!("--url={url}")]).unwrap();
        config.warnings.iter().any(|warning| warning.contains("not checked (AIPERF_HTTP_SSL_VERIFY=false)"))
    };
    assert!(unchecked("https://h"));
    assert!(!unchecked("http://h"));
}
