//! Collectors of extra server metrics. A program gives samples when it is asked; they are offered as a Prometheus page on a local
//! address, which is scraped like the page of a server. So the samples get times, windows and files like all server metrics.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_config::ProcessCommand;
use serde_json::{Value, json};

use super::client::{PluginClient, expect};
use super::error::PluginError;

const CATEGORY: &str = "server_metrics_collector";
/// How long a request to the page may take to arrive.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);

/// The page of one collector, served until it is dropped.
#[derive(Debug)]
pub struct CollectorServer {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl CollectorServer {
    /// Starts the program and serves its samples.
    pub fn start(name: &str, command: &ProcessCommand) -> Result<Self, PluginError> {
        let mut client = PluginClient::start(CATEGORY, name, command)?;
        let failed = |error: io::Error| PluginError::Files(format!("its page cannot be served: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = thread::Builder::new().name("plugin-collector".to_owned()).spawn(move || {
            let mut has_failed = false;
            for connection in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Acquire) {
                    break;
                }
                let page = if has_failed { Err(None) } else { page(&mut client).map_err(Some) };
                if let Err(Some(error)) = &page {
                    log::warn!("plugin {}: {error}. Its metrics end here; the run goes on.", client.label());
                    has_failed = true;
                }
                let _ = answer(&connection, page.ok().as_deref());
            }
        });
        Ok(Self { address, is_over, thread: Some(thread.map_err(failed)?) })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }
}

impl Drop for CollectorServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // Wakes the thread, which waits for a connection.
        let _ = TcpStream::connect_timeout(&self.address, REQUEST_LIMIT);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The samples of now, as a page.
fn page(client: &mut PluginClient) -> Result<String, PluginError> {
    let answer = client.request(&json!({"type": "collect"})).and_then(|answer| expect(answer, "metrics"))?;
    if let Some(text) = answer["text"].as_str() {
        return Ok(text.to_owned());
    }
    let samples = answer["samples"].as_array().map(Vec::as_slice).unwrap_or_default();
    samples.iter().map(sample).collect()
}

/// One sample as a line of a page.
fn sample(sample: &Value) -> Result<String, PluginError> {
    let wrong = || PluginError::Unexpected {
        got: sample.to_string().chars().take(120).collect(),
        wanted: "a sample with a name and a value",
    };
    let name = sample["name"].as_str().filter(|name| is_name(name)).ok_or_else(wrong)?;
    let value = sample["value"].as_f64().ok_or_else(wrong)?;
    let labels = sample["labels"].as_object().into_iter().flatten().map(|(label, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{label}={}", json!(text))
    });
    let labels = labels.collect::<Vec<_>>().join(",");
    let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
    let kind = if sample["kind"] == "counter" { "counter" } else { "gauge" };
    Ok(format!("# TYPE {name} {kind}\n{name}{labels} {value}\n"))
}

fn is_name(name: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_inside)
}

/// Answers one request and closes the connection.
fn answer(connection: &TcpStream, page: Option<&str>) -> io::Result<()> {
    connection.set_read_timeout(Some(REQUEST_LIMIT))?;
    let mut head = BufReader::new(connection);
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let (status, body) = page.map_or(("503 Service Unavailable", ""), |page| ("200 OK", page));
    let mut connection = connection;
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
