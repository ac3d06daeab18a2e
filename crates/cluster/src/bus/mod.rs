//! The message bus behind one trait: NATS `JetStream` for real runs, memory for unit tests. Calls wait for their result; a call that
//! fails may be repeated.

mod access;
#[cfg(test)]
pub(crate) mod memory;
mod nats;

use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

pub use access::{AccessError, NatsAccess};
pub use nats::NatsBus;

use crate::ClusterError;

/// A message of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamMessage {
    /// Numbered from 1 without gaps.
    pub sequence: u64,
    pub payload: Vec<u8>,
}

/// Answers a request.
pub type Answer = Box<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;

/// Messages that arrive while it exists.
pub trait Subscription: Send + Debug {
    /// The next message; `None` if none comes in this time.
    fn next(&mut self, wait: Duration) -> Option<Vec<u8>>;
}

pub trait Bus: Send + Sync + Debug {
    /// Whether the connection is up.
    fn is_connected(&self) -> bool;

    /// Makes a bucket of keys and values unless it is there. Entries vanish after `lifetime`, if there is one.
    fn make_bucket(&self, bucket: &str, lifetime: Option<Duration>) -> Result<(), ClusterError>;
    fn has_bucket(&self, bucket: &str) -> Result<bool, ClusterError>;
    fn delete_bucket(&self, bucket: &str) -> Result<(), ClusterError>;
    fn put(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<(), ClusterError>;
    /// Puts the value only if the key has none; returns whether it did.
    fn create(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<bool, ClusterError>;
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ClusterError>;
    /// Keys that begin with `prefix`.
    fn keys(&self, bucket: &str, prefix: &str) -> Result<Vec<String>, ClusterError>;

    /// Makes a stream of these subjects unless it is there.
    fn make_stream(&self, stream: &str, subjects: &str) -> Result<(), ClusterError>;
    fn delete_stream(&self, stream: &str) -> Result<(), ClusterError>;
    /// Appends a message; returns when it is stored. A message whose id was stored a short time ago is not stored again.
    fn append(&self, subject: &str, id: &str, payload: Vec<u8>) -> Result<(), ClusterError>;
    /// Messages after this sequence number, in order, at most `most`. Waits this long for the first one.
    fn read(&self, stream: &str, after: u64, most: usize, wait: Duration) -> Result<Vec<StreamMessage>, ClusterError>;

    /// Stores a file under its content hash.
    fn store_file(&self, store: &str, name: &str, path: &Path) -> Result<(), ClusterError>;
    fn fetch_file(&self, store: &str, name: &str, to: &Path) -> Result<(), ClusterError>;

    /// Sends a message that is not stored: who does not listen does not get it.
    fn publish(&self, subject: &str, payload: Vec<u8>) -> Result<(), ClusterError>;
    fn subscribe(&self, subject: &str) -> Result<Box<dyn Subscription>, ClusterError>;
    /// Sends a message and waits for an answer.
    fn request(&self, subject: &str, payload: Vec<u8>, wait: Duration) -> Result<Vec<u8>, ClusterError>;
    /// Answers requests from now on.
    fn serve(&self, subject: &str, answer: Answer) -> Result<(), ClusterError>;
}
