//! The replies of a job combined into one: the first, which created the job, and the last, with its final state, one on
//! each line. Each keeps the times at which it arrived.

use aiperf_clock::ReadMark;
use aiperf_endpoint::JobAnswer;
use aiperf_transport::Exchange;

pub(crate) struct JobAnswers<'a> {
    exchange: &'a mut Exchange,
    /// Where the first answer ends, in bytes and in reads.
    first: (usize, usize),
    /// Where the latest answer begins.
    latest: usize,
}

impl<'a> JobAnswers<'a> {
    pub(crate) fn new(exchange: &'a mut Exchange) -> Self {
        let first = (exchange.body.len(), exchange.marks.len());
        Self { exchange, first, latest: 0 }
    }

    pub(crate) fn first_is_success(&self) -> bool {
        self.exchange.is_success()
    }

    pub(crate) fn latest(&self) -> &[u8] {
        &self.exchange.body[self.latest..]
    }

    /// Takes the reply to a further exchange. Returns false if it is not a success; it then replaces the whole reply.
    pub(crate) fn take(&mut self, mut next: Exchange, answer: JobAnswer) -> bool {
        self.exchange.resent += next.resent;
        if !next.is_success() {
            next.trace = std::mem::take(&mut self.exchange.trace);
            next.redirects = std::mem::take(&mut self.exchange.redirects);
            (next.resent, next.body_limit) = (self.exchange.resent, self.exchange.body_limit);
            *self.exchange = next;
            self.latest = 0;
            return false;
        }
        match answer {
            JobAnswer::State => self.replace(&next),
            JobAnswer::Result => self.delay(&next),
        }
        true
    }

    /// Replaces the state of the job.
    fn replace(&mut self, next: &Exchange) {
        let (bytes, reads) = self.first;
        let exchange = &mut *self.exchange;
        exchange.body.truncate(bytes);
        exchange.marks.truncate(reads);
        exchange.body.push(b'\n');
        self.latest = exchange.body.len();
        exchange.body.extend_from_slice(&next.body);
        let start = self.latest;
        exchange.marks.extend(next.marks.iter().map(|mark| ReadMark { end: mark.end + start, ..*mark }));
    }

    /// The result itself ends the request: the last state counts from when the result had arrived.
    fn delay(&mut self, result: &Exchange) {
        let Some(last) = result.marks.last() else { return };
        self.exchange.marks.truncate(self.first.1);
        self.exchange.marks.push(ReadMark { end: self.exchange.body.len(), ..*last });
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;

    use super::*;

    fn answered(status: u16, body: &str, at: u64) -> Exchange {
        Exchange {
            status: Some(status),
            body: body.into(),
            marks: vec![ReadMark::user(body.len(), Mono::from_nanos(at))],
            ..Exchange::default()
        }
    }

    fn gist(exchange: &Exchange) -> (String, Vec<(usize, u64)>) {
        let marks = exchange.marks.iter().map(|mark| (mark.end, mark.at.as_nanos())).collect();
        (String::from_utf8(exchange.body.clone()).unwrap(), marks)
    }

    #[test]
    fn the_last_state_takes_the_place_of_those_before() {
        let mut exchange = answered(200, "ab", 1);
        let mut answers = JobAnswers::new(&mut exchange);
        assert!(answers.first_is_success());
        assert!(answers.take(answered(200, "queued", 2), JobAnswer::State));
        assert!(answers.take(answered(200, "done", 3), JobAnswer::State));
        assert_eq!(answers.latest(), b"done");
        assert!(answers.take(answered(200, "many bytes", 9), JobAnswer::Result));
        assert_eq!(gist(&exchange), ("ab\ndone".to_owned(), vec![(2, 1), (7, 9)]));
    }

    #[test]
    fn an_answer_that_is_no_success_stands_for_the_request() {
        let mut exchange = answered(200, "ab", 1);
        let mut answers = JobAnswers::new(&mut exchange);
        assert!(!answers.take(answered(500, "boom", 2), JobAnswer::State));
        assert_eq!(exchange.status, Some(500));
        assert_eq!(gist(&exchange), ("boom".to_owned(), vec![(4, 2)]));
    }
}
