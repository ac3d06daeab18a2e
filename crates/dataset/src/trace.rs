//! Conversations from traces. A trace records the times and lengths of requests, but rarely their texts; prompts are generated
//! when they are due.

mod outline;
mod prompt;
mod replay;
mod text_pool;
pub(crate) mod tracelab;
pub(crate) mod weka;
mod words;

use std::path::Path;

use aiperf_seed::Seed;
use aiperf_trace::{Layout, RowProblem, Trace, TraceError, effectless, request_problem, session_problems, synthesize};

use crate::file::{FileContents, LoadedFile, ReadContext};
use crate::{DatasetError, RowPlace};

pub(crate) use prompt::{PromptPlans, TracePrompts};

/// Reads a trace and applies the options to it: filters first, then lengths and prefixes, then times.
pub(crate) fn load(
    document: &LoadedFile,
    layout: Layout,
    reading: &mut ReadContext<'_>,
) -> Result<FileContents, DatasetError> {
    let (options, path, seed) = (&reading.source.trace, &document.path, reading.seed);
    let mut trace = read(document, layout, reading)?;
    if trace.requests.is_empty() {
        return Err(std::mem::take(&mut reading.row_errors).nothing_left(path));
    }
    if let Some(idle) = effectless(&options.synthesis, &trace) {
        return Err(DatasetError::Effectless { flag: idle.option, path: path.clone(), why: idle.why });
    }
    if options.block_size.is_some() && trace.requests.iter().all(|request| request.blocks().is_empty()) {
        let why = "no row has block ids";
        return Err(DatasetError::Effectless { flag: "--isl-block-size", path: path.clone(), why });
    }
    replay::within(reading.source.window, &mut trace, path)?;
    let shortest = trace.requests.iter().filter_map(aiperf_trace::TraceRequest::input_tokens).min();
    synthesize(&options.synthesis, &mut trace, seed);
    if trace.requests.is_empty() {
        let (asked, shortest) = (options.synthesis.max_isl.unwrap_or(0), shortest.unwrap_or(0));
        return Err(DatasetError::AllTooLong { path: path.clone(), asked, shortest });
    }
    if options.ignore_times {
        replay::forget_times(&mut trace);
    }
    replay::apply(&options.replay, &mut trace, seed, path)?;
    Ok(outline::of(trace, options, seed, content_key(&document.bytes)))
}

/// The rows that can be used.
fn read(document: &LoadedFile, layout: Layout, reading: &mut ReadContext<'_>) -> Result<Trace, DatasetError> {
    let path = &document.path;
    let (mut trace, problems) =
        Trace::parse_rows(path, &document.bytes, layout, reading.source.trace.replay.session_column)
            .map_err(|error| refused(path, error))?;
    for RowProblem { line, problem } in problems {
        // Published CSV traces have broken rows, which are not part of the load.
        if layout.has_broken_rows() {
            reading.row_errors.skip(path, RowPlace::Line(line), &problem);
        } else {
            reading.row_errors.note(path, RowPlace::Line(line), problem)?;
        }
    }
    if let Some(size) = reading.source.trace.block_size {
        trace.block_size = size;
    }
    let size = trace.block_size;
    let mut bad = session_problems(&trace.requests);
    bad.extend(trace.requests.iter().filter_map(|request| {
        request_problem(request, size).map(|problem| RowProblem { line: request.line, problem })
    }));
    bad.sort_by_key(|problem| problem.line);
    bad.dedup_by_key(|problem| problem.line);
    trace.requests.retain(|request| bad.binary_search_by_key(&request.line, |problem| problem.line).is_err());
    for RowProblem { line, problem } in bad {
        reading.row_errors.note(path, RowPlace::Line(line), problem)?;
    }
    Ok(trace)
}

fn refused(path: &Path, error: TraceError) -> DatasetError {
    let path = path.to_owned();
    match error {
        TraceError::Row { line, problem, .. } => DatasetError::Row { path, place: RowPlace::Line(line), problem },
        other => DatasetError::Unreadable { path, reason: other.to_string() },
    }
}

/// A hash of the trace. It makes the blocks of different traces differ, so that a run does not hit the cache entries of another
/// trace.
fn content_key(bytes: &[u8]) -> u64 {
    // FNV-1a with 64 bits, eight bytes at a time.
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
    })
}

/// The seed of the texts of blocks.
fn stream_seed(seed: Seed, key: u64) -> u64 {
    seed.stream("dataset.trace.blocks").next_u64() ^ key
}
