//! The layouts of traces, one file each, and their detection.

mod azure;
mod bailian;
mod baseten;
mod burst_gpt;
mod field;
mod mooncake;
mod table;

use std::path::Path;

use aiperf_config::SessionColumn;
use serde_json::{Map, Value};

use crate::{RowProblem, Trace, TraceError, TraceRequest, lines};
use field::object;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Mooncake,
    Bailian,
    BurstGpt,
    Azure,
    Baseten,
}

impl Layout {
    pub const ALL: [Layout; 5] = [Self::Mooncake, Self::Bailian, Self::BurstGpt, Self::Azure, Self::Baseten];

    /// The name in `--custom-dataset-type`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "mooncake_trace",
            Self::Bailian => "bailian_trace",
            Self::BurstGpt => "burst_gpt_trace",
            Self::Azure => "azure_trace",
            Self::Baseten => "baseten_trace",
        }
    }

    /// The name in `aiperf validate`.
    pub fn target(self) -> String {
        self.name().replace('_', "-")
    }

    /// The default number of tokens per block id.
    pub const fn block_size(self) -> u32 {
        match self {
            Self::Bailian => 16,
            Self::Baseten => 64,
            Self::Mooncake | Self::BurstGpt | Self::Azure => 512,
        }
    }

    /// Whether published files have incomplete rows, which are then left out and counted.
    pub const fn has_broken_rows(self) -> bool {
        matches!(self, Self::BurstGpt | Self::Azure)
    }

    /// Detects the layout of a file from its first line; the error says why it is unknown.
    pub fn detect(bytes: &[u8]) -> Result<Self, String> {
        if baseten::is_table(bytes) {
            return Ok(Self::Baseten);
        }
        let Some((number, first)) = lines(bytes).next() else { return Err("it is empty".to_owned()) };
        let header = String::from_utf8_lossy(first);
        if burst_gpt::columns(&header).is_some() {
            return Ok(Self::BurstGpt);
        }
        if azure::columns(&header).is_some() {
            return Ok(Self::Azure);
        }
        if first.first() != Some(&b'{') {
            return Err(format!("line {number} is neither a JSON object nor a header of known columns"));
        }
        let object: Map<String, Value> = object(first).map_err(|problem| format!("line {number} is {problem}"))?;
        let all = |fields: &[&str]| fields.iter().all(|field| object.get(*field).is_some_and(|value| !value.is_null()));
        if all(&["chat_id", "timestamp", "input_length", "output_length"]) {
            return Ok(Self::Bailian);
        }
        if ["input_length", "text_input", "messages", "payload"].iter().any(|field| all(&[field])) {
            return Ok(Self::Mooncake);
        }
        Err(format!("the object in line {number} has none of the fields of a known layout"))
    }
}

/// Parses the requests of a file. `path` is only used in messages.
pub(crate) fn parse(path: &Path, bytes: &[u8], layout: Layout) -> Result<Trace, TraceError> {
    let LayoutRows { requests, mut problems, block_size } = rows(path, bytes, layout, SessionColumn::default())?;
    if !layout.has_broken_rows()
        && let Some(RowProblem { line, problem }) = problems.drain(..).next()
    {
        return Err(TraceError::Row { path: path.to_owned(), line, problem });
    }
    if requests.is_empty() {
        return Err(match problems.into_iter().next() {
            Some(RowProblem { line, problem }) => TraceError::Row { path: path.to_owned(), line, problem },
            None => TraceError::NoRequests { path: path.to_owned() },
        });
    }
    Ok(Trace { layout, block_size, requests, skipped_rows: problems.len() })
}

/// The requests of a file, and the problems of its bad rows.
#[derive(Debug)]
pub(crate) struct LayoutRows {
    pub(crate) requests: Vec<TraceRequest>,
    pub(crate) problems: Vec<RowProblem>,
    /// The number of tokens per block.
    pub(crate) block_size: u32,
}

pub(crate) fn rows(
    path: &Path,
    bytes: &[u8],
    layout: Layout,
    sessions: SessionColumn,
) -> Result<LayoutRows, TraceError> {
    let columns = |names: &str| TraceError::Row {
        path: path.to_owned(),
        line: 1,
        problem: format!("{} needs the columns {names}", layout.name()),
    };
    let mut block_size = layout.block_size();
    let mut problems = Vec::new();
    let mut note = |line: usize, problem: String| problems.push(RowProblem { line, problem });
    let requests = match layout {
        Layout::Mooncake => each(bytes, mooncake::request, &mut note),
        Layout::Bailian => bailian::requests(each(bytes, bailian::chat, &mut note)),
        Layout::BurstGpt => below_header(bytes, burst_gpt::columns, burst_gpt::request, &mut note)
            .ok_or_else(|| columns("Timestamp, Request tokens and Response tokens"))?,
        Layout::Azure => {
            let mut requests = below_header(bytes, azure::columns, azure::request, &mut note)
                .ok_or_else(|| columns("TIMESTAMP, ContextTokens and GeneratedTokens"))?;
            from_the_first_on(&mut requests);
            requests
        }
        Layout::Baseten => {
            let mut table = baseten::read(bytes, sessions)
                .map_err(|reason| TraceError::Unreadable { path: path.to_owned(), reason })?;
            from_the_first_on(&mut table.requests);
            block_size = table.block_size.unwrap_or(block_size);
            table.problems.into_iter().for_each(|RowProblem { line, problem }| note(line, problem));
            table.requests
        }
    };
    Ok(LayoutRows { requests, problems, block_size })
}

fn each<T>(bytes: &[u8], read: fn(usize, &[u8]) -> Result<T, String>, note: &mut impl FnMut(usize, String)) -> Vec<T> {
    let read = |(line, content)| read(line, content).map_err(|problem| note(line, problem)).ok();
    lines(bytes).filter_map(read).collect()
}

/// The rows below a header; `None` if the header lacks a column.
fn below_header<const N: usize>(
    bytes: &[u8],
    columns: fn(&str) -> Option<table::CsvColumns<N>>,
    request: fn(usize, &str, &table::CsvColumns<N>) -> Result<TraceRequest, String>,
    note: &mut impl FnMut(usize, String),
) -> Option<Vec<TraceRequest>> {
    let mut records = table::records(bytes);
    let columns = columns(&String::from_utf8_lossy(records.next()?.1))?;
    let mut requests = Vec::new();
    for (line, content) in records {
        match request(line, &String::from_utf8_lossy(content), &columns) {
            Ok(request) => requests.push(request),
            Err(problem) => note(line, problem),
        }
    }
    Some(requests)
}

fn from_the_first_on(requests: &mut [TraceRequest]) {
    let first = requests.iter().filter_map(|request| request.timestamp_ms).fold(f64::INFINITY, f64::min);
    for time in requests.iter_mut().filter_map(|request| request.timestamp_ms.as_mut()) {
        // Rounded to the microsecond, since subtracting two large numbers leaves rounding noise.
        *time = ((*time - first) * 1e3).round() / 1e3;
    }
}
