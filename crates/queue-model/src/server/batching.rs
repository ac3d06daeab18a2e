//! A server with continuous batching: all running sequences get one token in each step, and waiting prompts are read in chunks
//! within the token budget of the step.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use aiperf_seed::{Seed, Stream};

use super::ServerModel;
use crate::load::CompletedRequest;

/// What a step costs, how many sequences run at once, and how long requests are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchingSpeed {
    pub max_batch: usize,
    pub step_s: f64,
    pub sequence_s: f64,
    pub prefill_token_s: f64,
    pub token_budget: u32,
    /// Input lengths are log-normal with this mean and this standard deviation of the logarithm.
    pub mean_input_tokens: f64,
    pub input_sigma: f64,
    /// Output lengths are geometric with this mean.
    pub mean_output_tokens: f64,
}

#[derive(Debug)]
pub struct BatchingServer {
    speed: BatchingSpeed,
    draws: Stream,
    /// Arrivals that have no place in the batch yet.
    waiting: VecDeque<f64>,
    /// Sequences of the batch whose prompt is not read yet, first come first served.
    prefilling: VecDeque<Prefilling>,
    /// Sequences that generate: the step in which each one ends, and its number in `running`.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
    running: Vec<Running>,
    free: Vec<usize>,
    /// Prompts that the current step completes; they get their first token at its end.
    first_tokens: Vec<f64>,
    step: u64,
    step_end_s: f64,
}

#[derive(Debug)]
struct Prefilling {
    arrival_s: f64,
    tokens_left: u32,
}

#[derive(Debug, Clone, Copy)]
struct Running {
    arrival_s: f64,
    first_token_s: f64,
}

impl BatchingServer {
    pub fn new(speed: BatchingSpeed, seed: Seed) -> Self {
        Self {
            speed,
            draws: seed.stream("queue_model.lengths"),
            waiting: VecDeque::new(),
            prefilling: VecDeque::new(),
            ends: BinaryHeap::new(),
            running: Vec::new(),
            free: Vec::new(),
            first_tokens: Vec::new(),
            step: 0,
            step_end_s: f64::INFINITY,
        }
    }

    fn input_tokens(&mut self) -> u32 {
        let sigma = self.speed.input_sigma;
        let location = self.speed.mean_input_tokens.ln() - sigma * sigma / 2.0;
        self.draws.normal(location, sigma).exp().round().clamp(1.0, 1e6) as u32
    }

    fn output_tokens(&mut self) -> u64 {
        let continues = 1.0 - 1.0 / self.speed.mean_output_tokens;
        1 + ((1.0 - self.draws.unit()).ln() / continues.ln()).floor() as u64
    }

    /// Forms the next batch and starts its step, unless there is nothing to do.
    fn begin(&mut self, now_s: f64) {
        while self.ends.len() + self.prefilling.len() < self.speed.max_batch {
            let Some(arrival_s) = self.waiting.pop_front() else { break };
            let tokens_left = self.input_tokens();
            self.prefilling.push_back(Prefilling { arrival_s, tokens_left });
        }
        let generating = self.ends.len();
        if generating + self.prefilling.len() == 0 {
            self.step_end_s = f64::INFINITY;
            return;
        }
        let mut budget = self.speed.token_budget.saturating_sub(generating as u32);
        let (mut prefill_tokens, mut sequences) = (0, generating);
        while budget > 0 {
            let Some(first) = self.prefilling.front_mut() else { break };
            let chunk = first.tokens_left.min(budget);
            first.tokens_left -= chunk;
            budget -= chunk;
            prefill_tokens += chunk;
            sequences += 1;
            if first.tokens_left > 0 {
                break;
            }
            self.first_tokens.push(first.arrival_s);
            self.prefilling.pop_front();
        }
        self.step += 1;
        self.step_end_s = now_s
            + self.speed.step_s
            + self.speed.sequence_s * sequences as f64
            + self.speed.prefill_token_s * f64::from(prefill_tokens);
    }

    fn run(&mut self, running: Running, end: u64) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.running.push(running);
            self.running.len() - 1
        });
        self.running[slot] = running;
        self.ends.push(Reverse((end, slot)));
    }
}

impl ServerModel for BatchingServer {
    fn arrive(&mut self, now_s: f64) {
        self.waiting.push_back(now_s);
        if self.step_end_s.is_infinite() {
            self.begin(now_s);
        }
    }

    fn next_event_s(&self) -> f64 {
        self.step_end_s
    }

    fn advance(&mut self, completed: &mut Vec<CompletedRequest>) {
        let now_s = self.step_end_s;
        while let Some(&Reverse((end, slot))) = self.ends.peek() {
            if end > self.step {
                break;
            }
            self.ends.pop();
            self.free.push(slot);
            let Running { arrival_s, first_token_s } = self.running[slot];
            completed.push(CompletedRequest { arrival_s, first_token_s, finish_s: now_s });
        }
        for arrival_s in std::mem::take(&mut self.first_tokens) {
            let more = self.output_tokens() - 1;
            if more == 0 {
                completed.push(CompletedRequest { arrival_s, first_token_s: now_s, finish_s: now_s });
            } else {
                self.run(Running { arrival_s, first_token_s: now_s }, self.step + more);
            }
        }
        self.begin(now_s);
    }
}
