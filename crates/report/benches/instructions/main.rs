//! The hot functions, one at a time and a given number of times: `instructions FUNCTION COUNT`. Run under callgrind by
//! `benches/instructions`, which takes the difference of two counts, so that what comes before the loop does not matter.

mod answer;
#[path = "../../tests/runs/metadata.rs"]
mod metadata;
mod record;
mod request;
mod tokenizer_file;
mod yardstick;

use std::error::Error;
use std::hint::black_box;

use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

type BenchOutcome = Result<(), Box<dyn Error>>;

/// Runs a function this many times.
type Repeated = fn(usize) -> BenchOutcome;

const FUNCTIONS: [(&str, Repeated); 11] = [
    ("yardstick", yardstick::tree),
    ("request_head", request::head),
    ("stream_response", answer::read_stream_response),
    ("whole_response", answer::read_whole_response),
    ("stream_reply", answer::read_stream_reply),
    ("whole_reply", answer::read_whole_reply),
    ("token_count", token_count),
    ("file_token_count", tokenizer_file::count_words),
    ("file_new_words", tokenizer_file::count_new_words),
    ("record_values", record::values),
    ("record_line", record::line),
];

fn main() -> BenchOutcome {
    // Cargo adds options of its own, which begin with a dash.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let [name, count] = words.as_slice() else {
        for (name, _) in FUNCTIONS {
            println!("{name}");
        }
        return Ok(());
    };
    let (_, function) = FUNCTIONS.iter().find(|(known, _)| known == name).ok_or("no such function")?;
    function(count.parse()?)
}

/// Counting the tokens of an answer of 100.
fn token_count(times: usize) -> BenchOutcome {
    let tokenizer = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &HubEnvironment::from_process())?;
    let text = answer::text();
    for _ in 0..times {
        black_box(tokenizer.count(black_box(&text)));
    }
    Ok(())
}
