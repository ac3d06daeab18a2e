//! What the servers of a run saw, in seconds since the client says that its phase began. Both sides read the same monotonic
//! clock, so that a request that was sent before its time is seen to the nanosecond.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use aiperf_sim::{Sim, TruthOutcome, TruthRecord};
use serde_json::Value;

use super::artifacts::Artifacts;
use super::wait_for;

/// Requests that are due one after the other but leave together, because the client was late, may change places on the way.
const MAY_OVERTAKE_S: f64 = 0.1;

/// Inference requests in order of arrival, those of all phases.
pub(crate) struct Log(pub(crate) Vec<Entry>);

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) truth: Arc<TruthRecord>,
    /// Of the servers that the log was read from, which one this came to.
    pub(crate) server: usize,
    pub(crate) body: Value,
    pub(crate) arrival: f64,
    /// When the first chunk was written.
    pub(crate) answered: Option<f64>,
    pub(crate) end: f64,
}

impl Log {
    /// Time zero is the start of the profiling phase. The run must have written raw records.
    pub(crate) fn of(sim: &Sim, artifacts: &Artifacts) -> Self {
        Self::of_all(&[sim], artifacts)
    }

    pub(crate) fn of_all(sims: &[&Sim], artifacts: &Artifacts) -> Self {
        let first = &artifacts.raw_records()[0];
        // The records tell both clocks for the same instant.
        let (wall, mono) = (first.number("request_start_ns"), first.0["start_perf_ns"].as_u64().unwrap());
        let start = artifacts.accounting("profiling")["start_ns"].as_u64().unwrap();
        let zero = mono as i64 + (start as i64 - wall as i64);
        let mut entries: Vec<Entry> = Vec::new();
        for (server, sim) in sims.iter().enumerate() {
            let inference = sim.truth().into_iter().filter(|truth| truth.method == "POST");
            entries.extend(inference.map(|truth| Entry::new(truth, server, zero)));
        }
        entries.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
        Self(entries)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.0.iter()
    }

    pub(crate) fn most_in_flight(&self) -> u32 {
        self.iter().map(|entry| entry.truth.in_flight).max().unwrap()
    }

    /// The requests of each session, sessions in order of their first arrival.
    pub(crate) fn sessions(&self) -> Vec<Vec<&Entry>> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut sessions: Vec<Vec<&Entry>> = Vec::new();
        for entry in self.iter() {
            let place = *places.entry(entry.session()).or_insert_with(|| {
                sessions.push(Vec::new());
                sessions.len() - 1
            });
            sessions[place].push(entry);
        }
        sessions
    }

    /// The one request whose last message says this.
    pub(crate) fn saying(&self, text: &str) -> &Entry {
        let mut all = self.all_saying(text);
        assert_eq!(all.len(), 1, "{} requests say {text:?}", all.len());
        all.remove(0)
    }

    pub(crate) fn all_saying(&self, text: &str) -> Vec<&Entry> {
        self.iter().filter(|entry| entry.prompt() == text).collect()
    }
}

impl Entry {
    fn new(truth: Arc<TruthRecord>, server: usize, zero: i64) -> Self {
        let since = |at: aiperf_clock::Mono| (at.as_nanos() as i64 - zero) as f64 / 1e9;
        Self {
            body: serde_json::from_str(truth.body.as_deref().unwrap()).unwrap(),
            arrival: since(truth.arrival),
            answered: truth.chunks.first().map(|at| since(*at)),
            end: since(truth.end),
            server,
            truth,
        }
    }

    pub(crate) fn session(&self) -> &str {
        self.truth.correlation_id.as_deref().unwrap()
    }

    pub(crate) fn id(&self) -> &str {
        self.truth.request_id.as_deref().unwrap()
    }

    pub(crate) fn completed(&self) -> bool {
        self.truth.outcome == TruthOutcome::Completed
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.truth.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Role and content of every message.
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let word = |message: &Value, key: &str| message[key].as_str().unwrap_or_else(|| panic!("{message}")).to_owned();
        let messages = self.body["messages"].as_array().unwrap();
        messages.iter().map(|message| (word(message, "role"), word(message, "content"))).collect()
    }

    /// What is asked, without what was said before.
    pub(crate) fn prompt(&self) -> String {
        self.messages().pop().unwrap().1
    }
}

/// Each of these must have been seen as often as it is expected, and in this order.
pub(crate) fn assert_order<T: Debug + Clone + Eq + Hash>(expected: &[T], seen: &[(T, f64)]) {
    let mut times: HashMap<&T, Vec<f64>> = HashMap::new();
    for (what, at) in seen.iter().rev() {
        times.entry(what).or_default().push(*at);
    }
    let in_words = || format!("expected {expected:?}\nseen {seen:?}");
    assert_eq!(expected.len(), seen.len(), "{}", in_words());
    let mut latest = f64::NEG_INFINITY;
    for what in expected {
        let at =
            times.get_mut(what).and_then(Vec::pop).unwrap_or_else(|| panic!("{what:?} is missing: {}", in_words()));
        assert!(at >= latest - MAY_OVERTAKE_S, "{what:?} came too early: {}", in_words());
        latest = latest.max(at);
    }
}

/// The truth, once it has this many requests: a server notices a little later that its client is gone.
pub(crate) fn truth_of(sim: &Sim, requests: usize) -> Vec<Arc<TruthRecord>> {
    wait_for("the server to have seen the end of all requests", || {
        Some(sim.truth()).filter(|truth| truth.len() >= requests)
    })
}

/// What a server says to a body. The same server says the same again.
pub(crate) fn reply_of(sim: &Sim, body: &Value) -> String {
    let body = body.to_string();
    let mut stream = TcpStream::connect(sim.addr()).unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nConnection: close\r\nContent-Type: application/json";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let reply: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
    reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}
