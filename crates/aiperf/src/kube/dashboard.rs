//! `aiperf kube dashboard`: the live page of a run on a port of this machine. Each request of the browser goes through the API server
//! to the pod.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use anyhow::Context;

use super::{found, open};
use crate::cli::{ClusterAccess, DashboardRequest};

/// Longest head and body of a request; the page sends little.
const MOST_BYTES: u64 = 64 * 1024;

pub(super) fn run(asked: &DashboardRequest) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    let run = found(&cluster, asked.run.as_deref())?;
    let apis = cluster.apis(&run)?;
    let api = apis.iter().find(|api| api.pod.is_running());
    let api = api
        .with_context(|| format!("no pod of run {} is running; `aiperf kube debug` looks for the reason", run.name))?;
    let pod = api.pod.name.clone();
    let listener = TcpListener::bind(("127.0.0.1", asked.port))
        .with_context(|| format!("cannot listen on port {}", asked.port))?;
    let port = listener.local_addr().context("cannot find the port")?.port();
    println!("Live page of run {}, pod {pod}: http://127.0.0.1:{port}/", run.name);
    println!("Ctrl-C ends it; the run goes on.");
    let place = Arc::new((
        ClusterAccess { namespace: Some(run.namespace.clone()), ..asked.access.clone() },
        run.name.to_string(),
        pod,
    ));
    for socket in listener.incoming() {
        let (socket, place) = (socket.context("cannot take a connection")?, Arc::clone(&place));
        // A browser that goes away in the middle is not an error.
        thread::spawn(move || drop(serve(&socket, &place)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers one request. A connection of its own for each keeps event streams apart from the rest.
fn serve(socket: &TcpStream, (access, run, pod): &(ClusterAccess, String, String)) -> anyhow::Result<()> {
    let mut reader = BufReader::new(socket.take(MOST_BYTES));
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let (mut length, mut host, mut origin) = (0, String::new(), None);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? <= 2 {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "host" => value.trim().clone_into(&mut host),
            "origin" => origin = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    io::copy(&mut reader.by_ref().take(length), &mut io::sink())?;
    let mut out = socket;
    // Pages of other sites must not use the rights of this program.
    let is_own = host.starts_with("127.0.0.1:") || host.starts_with("localhost:");
    if !is_own || origin.is_some_and(|origin| origin != format!("http://{host}")) || !target.starts_with('/') {
        out.write_all(b"HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")?;
        return Ok(());
    }
    let cluster = open(access)?;
    let found = found(&cluster, Some(run))?;
    let apis = cluster.apis(&found)?;
    let api = apis.iter().find(|api| api.pod.name == *pod).context("the pod is gone")?;
    if let Err(error) = api.forward(&method, &target, &mut out) {
        let text = error.to_string();
        write!(out, "HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{text}", text.len())?;
    }
    Ok(())
}
