//! The bus in memory, for tests: everything arrives at once, unless a test cuts it off.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{Answer, Bus, StreamMessage, Subscription};
use crate::ClusterError;

type Queue = Arc<Mutex<VecDeque<Vec<u8>>>>;

#[derive(Default)]
struct State {
    buckets: HashMap<String, BTreeMap<String, Vec<u8>>>,
    streams: HashMap<String, (String, Vec<Vec<u8>>)>,
    ids: HashSet<String>,
    files: HashMap<String, Vec<u8>>,
    listeners: Vec<(String, Queue)>,
    answers: HashMap<String, Arc<Answer>>,
}

#[derive(Default)]
pub(crate) struct MemoryBus {
    state: Mutex<State>,
    cut_off: AtomicBool,
    /// Messages are stored, but nobody hears of it, as if the acknowledgement was lost.
    loses_acknowledgements: AtomicBool,
}

impl fmt::Debug for MemoryBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryBus")
    }
}

impl MemoryBus {
    pub(crate) fn cut_off(&self, is_cut_off: bool) {
        self.cut_off.store(is_cut_off, Ordering::Relaxed);
    }

    pub(crate) fn lose_acknowledgements(&self, lost: bool) {
        self.loses_acknowledgements.store(lost, Ordering::Relaxed);
    }

    /// Whether these bytes are stored anywhere.
    pub(crate) fn holds(&self, bytes: &[u8]) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let values = state.buckets.values().flat_map(BTreeMap::values);
        let messages = state.streams.values().flat_map(|(_, messages)| messages);
        values.chain(messages).any(|value| value.windows(bytes.len()).any(|window| window == bytes))
    }

    /// Delivers every message of a stream twice.
    pub(crate) fn repeat_all(&self, stream: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, messages)) = state.streams.get_mut(stream) {
            *messages = messages.iter().flat_map(|message| [message.clone(), message.clone()]).collect();
        }
    }

    fn state(&self) -> Result<std::sync::MutexGuard<'_, State>, ClusterError> {
        if self.cut_off.load(Ordering::Relaxed) {
            return Err(ClusterError::bus("reach the bus", "cut off"));
        }
        Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether a subject matches a pattern whose last part may be `*`.
fn matches(pattern: &str, subject: &str) -> bool {
    pattern
        .strip_suffix('*')
        .map_or(pattern == subject, |start| subject.strip_prefix(start).is_some_and(|rest| !rest.contains('.')))
}

impl Bus for MemoryBus {
    fn is_connected(&self) -> bool {
        !self.cut_off.load(Ordering::Relaxed)
    }

    fn make_bucket(&self, bucket: &str, _: Option<Duration>) -> Result<(), ClusterError> {
        self.state()?.buckets.entry(bucket.to_owned()).or_default();
        Ok(())
    }

    fn has_bucket(&self, bucket: &str) -> Result<bool, ClusterError> {
        Ok(self.state()?.buckets.contains_key(bucket))
    }

    fn delete_bucket(&self, bucket: &str) -> Result<(), ClusterError> {
        self.state()?.buckets.remove(bucket);
        Ok(())
    }

    fn put(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<(), ClusterError> {
        self.state()?.buckets.entry(bucket.to_owned()).or_default().insert(key.to_owned(), value);
        Ok(())
    }

    fn create(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<bool, ClusterError> {
        let mut state = self.state()?;
        let bucket = state.buckets.entry(bucket.to_owned()).or_default();
        if bucket.contains_key(key) {
            return Ok(false);
        }
        bucket.insert(key.to_owned(), value);
        Ok(true)
    }

    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ClusterError> {
        Ok(self.state()?.buckets.get(bucket).and_then(|bucket| bucket.get(key).cloned()))
    }

    fn keys(&self, bucket: &str, prefix: &str) -> Result<Vec<String>, ClusterError> {
        let state = self.state()?;
        let keys = state.buckets.get(bucket).into_iter().flatten().map(|(key, _)| key.clone());
        Ok(keys.filter(|key| key.starts_with(prefix)).collect())
    }

    fn make_stream(&self, stream: &str, subjects: &str) -> Result<(), ClusterError> {
        self.state()?.streams.entry(stream.to_owned()).or_insert_with(|| (subjects.to_owned(), Vec::new()));
        Ok(())
    }

    fn delete_stream(&self, stream: &str) -> Result<(), ClusterError> {
        self.state()?.streams.remove(stream);
        Ok(())
    }

    fn append(&self, subject: &str, id: &str, payload: Vec<u8>) -> Result<(), ClusterError> {
        let mut state = self.state()?;
        let is_new = state.ids.insert(id.to_owned());
        let stream = state.streams.values_mut().find(|(subjects, _)| matches(subjects, subject));
        let (_, messages) = stream.ok_or_else(|| ClusterError::bus("append", "no such stream"))?;
        if is_new {
            messages.push(payload);
        }
        if self.loses_acknowledgements.load(Ordering::Relaxed) {
            return Err(ClusterError::bus("append", "no answer"));
        }
        Ok(())
    }

    fn read(&self, stream: &str, after: u64, most: usize, wait: Duration) -> Result<Vec<StreamMessage>, ClusterError> {
        let state = self.state()?;
        let messages = state.streams.get(stream).map(|(_, messages)| messages.clone()).unwrap_or_default();
        drop(state);
        let indexed = messages.into_iter().enumerate().skip(after as usize).take(most);
        let found: Vec<StreamMessage> =
            indexed.map(|(place, payload)| StreamMessage { sequence: place as u64 + 1, payload }).collect();
        if found.is_empty() {
            thread::sleep(wait.min(Duration::from_millis(10)));
        }
        Ok(found)
    }

    fn store_file(&self, _: &str, name: &str, path: &Path) -> Result<(), ClusterError> {
        let content = std::fs::read(path).map_err(ClusterError::file(path))?;
        self.state()?.files.insert(name.to_owned(), content);
        Ok(())
    }

    fn fetch_file(&self, _: &str, name: &str, to: &Path) -> Result<(), ClusterError> {
        let content =
            self.state()?.files.get(name).cloned().ok_or_else(|| ClusterError::bus("fetch", "no such file"))?;
        std::fs::write(to, content).map_err(ClusterError::file(to))
    }

    fn publish(&self, subject: &str, payload: Vec<u8>) -> Result<(), ClusterError> {
        let state = self.state()?;
        for (_, queue) in state.listeners.iter().filter(|(pattern, _)| matches(pattern, subject)) {
            queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(payload.clone());
        }
        Ok(())
    }

    fn subscribe(&self, subject: &str) -> Result<Box<dyn Subscription>, ClusterError> {
        let queue = Queue::default();
        self.state()?.listeners.push((subject.to_owned(), Arc::clone(&queue)));
        Ok(Box::new(MemorySubscription(queue)))
    }

    fn request(&self, subject: &str, payload: Vec<u8>, _: Duration) -> Result<Vec<u8>, ClusterError> {
        let answer = self.state()?.answers.get(subject).cloned();
        answer.map(|answer| answer(&payload)).ok_or_else(|| ClusterError::bus("ask", "nobody answers"))
    }

    fn serve(&self, subject: &str, answer: Answer) -> Result<(), ClusterError> {
        self.state()?.answers.insert(subject.to_owned(), Arc::new(answer));
        Ok(())
    }
}

#[derive(Debug)]
struct MemorySubscription(Queue);

impl Subscription for MemorySubscription {
    fn next(&mut self, wait: Duration) -> Option<Vec<u8>> {
        let mut waited = Duration::ZERO;
        loop {
            if let Some(message) = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                return Some(message);
            }
            if waited >= wait {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
            waited += Duration::from_millis(5);
        }
    }
}
