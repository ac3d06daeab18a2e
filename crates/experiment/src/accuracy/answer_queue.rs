//! Answers that wait to be graded. Their texts are in a temporary file without a name, so that a slow grader costs neither memory nor
//! time of the threads that hand answers in.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One answer, as the record threads know it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WaitingAnswer {
    pub(crate) session_num: u64,
    /// The place of the question in the data set.
    pub(crate) conversation: usize,
    pub(crate) x_request_id: String,
    pub(crate) worker: usize,
    pub(crate) ended_ns: u64,
    /// The content of the first choice, with tool calls.
    pub(crate) output: String,
    pub(crate) thinking: Option<String>,
    /// Why there is no answer.
    pub(crate) error: Option<String>,
}

#[derive(Debug)]
pub(crate) struct AnswerQueue {
    state: Mutex<AnswerQueueState>,
    changed: Condvar,
}

#[derive(Debug)]
struct AnswerQueueState {
    file: File,
    /// Where the next answer is written.
    end: u64,
    /// Where each waiting answer begins, and its length.
    waiting: VecDeque<(u64, usize)>,
    /// No more answers come.
    is_closed: bool,
    /// Nothing more is graded.
    is_given_up: bool,
    /// Answers that could not be stored.
    lost: u64,
}

impl AnswerQueue {
    /// Stores answers in the folder, or among the temporary files of the machine if that is not possible.
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile())?;
        let waiting = VecDeque::new();
        let state = AnswerQueueState { file, end: 0, waiting, is_closed: false, is_given_up: false, lost: 0 };
        Ok(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, AnswerQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one answer. One that cannot be stored is counted.
    pub(crate) fn push(&self, answer: &WaitingAnswer) {
        let Ok(bytes) = serde_json::to_vec(answer) else { return };
        let mut state = self.lock();
        let at = state.end;
        let stored = state.file.seek(SeekFrom::Start(at)).and_then(|_| state.file.write_all(&bytes));
        match stored {
            Ok(()) => {
                state.end += bytes.len() as u64;
                state.waiting.push_back((at, bytes.len()));
                drop(state);
                self.changed.notify_one();
            }
            Err(error) => {
                state.lost += 1;
                if state.lost == 1 {
                    log::error!(
                        "An answer cannot be stored for grading: {error}. The run continues; such answers are not graded."
                    );
                }
            }
        }
    }

    /// The next answer; `None` if none is left and none will come. Waits for the last answer before it hands out the first if
    /// `after_the_end`.
    pub(crate) fn next(&self, after_the_end: bool) -> Option<WaitingAnswer> {
        let mut state = self.lock();
        loop {
            if state.is_given_up {
                return None;
            }
            let is_due = state.is_closed || !after_the_end;
            if is_due && let Some((at, length)) = state.waiting.pop_front() {
                match state.read(at, length) {
                    Ok(answer) => return Some(answer),
                    Err(error) => {
                        log::error!("An answer that was stored for grading cannot be read: {error}");
                        state.lost += 1;
                        continue;
                    }
                }
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// No more answers come.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Lets the answers that still wait go without a grade.
    pub(crate) fn give_up(&self) {
        self.lock().is_given_up = true;
        self.changed.notify_all();
    }

    /// Answers that are not graded yet, and those that never will be.
    pub(crate) fn left(&self) -> u64 {
        let state = self.lock();
        state.waiting.len() as u64 + state.lost
    }

    /// The pause between two looks at the progress of grading.
    pub(crate) const LOOK: Duration = Duration::from_millis(50);
}

impl AnswerQueueState {
    fn read(&mut self, at: u64, length: usize) -> io::Result<WaitingAnswer> {
        let mut bytes = vec![0; length];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        // The file is as long as what waits in it at the most.
        if self.waiting.is_empty() {
            self.end = 0;
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    fn answer(number: u64) -> WaitingAnswer {
        WaitingAnswer {
            session_num: number,
            conversation: number as usize,
            x_request_id: format!("request {number}"),
            worker: 0,
            ended_ns: 1,
            output: "é".repeat(number as usize % 7),
            thinking: number.is_multiple_of(2).then(|| "hm".to_owned()),
            error: None,
        }
    }

    fn queue() -> AnswerQueue {
        AnswerQueue::create(Path::new("/nonexistent")).unwrap()
    }

    #[test]
    fn answers_come_back_in_their_order_whatever_the_speed_of_the_reader() {
        let queue = Arc::new(queue());
        let reader = Arc::clone(&queue);
        let thread = thread::spawn(move || std::iter::from_fn(|| reader.next(false)).collect::<Vec<_>>());
        let sent: Vec<_> = (0..500).map(answer).collect();
        for answer in &sent {
            queue.push(answer);
        }
        queue.close();
        assert_eq!(thread.join().unwrap(), sent);
        assert_eq!(queue.left(), 0);
    }

    #[test]
    fn a_grader_that_waits_for_the_end_gets_nothing_before() {
        let queue = Arc::new(queue());
        queue.push(&answer(1));
        let reader = Arc::clone(&queue);
        let thread = thread::spawn(move || reader.next(true).is_some() && reader.lock().is_closed);
        queue.push(&answer(2));
        queue.close();
        assert!(thread.join().unwrap());
        assert_eq!(queue.left(), 1);
    }

    #[test]
    fn what_is_given_up_is_left() {
        let queue = queue();
        queue.push(&answer(1));
        queue.give_up();
        assert_eq!((queue.next(false), queue.left()), (None, 1));
    }
}
