//! The layouts that traces come in: one file each, and how they are told apart.

mod azure;
mod bailian;
mod baseten;
mod burst_gpt;
mod mooncake;
mod table;

use std::path::Path;

use aiperf_config::SessionColumn;
use serde_json::{Map, Value};

use crate::field::object;
use crate::lines::lines;
use crate::{Problem, Request, Trace, TraceError};

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

    /// As `--custom-dataset-type` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "mooncake_trace",
            Self::Bailian => "bailian_trace",
            Self::BurstGpt => "burst_gpt_trace",
            Self::Azure => "azure_trace",
            Self::Baseten => "baseten_trace",
        }
    }

    /// As `aiperf validate` spells it.
    pub fn target(self) -> String {
        self.name().replace('_', "-")
    }

    /// Tokens that one block id stands for, unless the user says otherwise.
    pub const fn block_size(self) -> u32 {
        match self {
            Self::Bailian => 16,
            Self::Baseten => 64,
            Self::Mooncake | Self::BurstGpt | Self::Azure => 512,
        }
    }

    /// Whether published files have rows that are not whole, so that those are left out and counted.
    pub const fn has_broken_rows(self) -> bool {
        matches!(self, Self::BurstGpt | Self::Azure)
    }

    /// What a file looks like, from its first line; the error says why it looks like nothing known.
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

/// Every request of the file's bytes. `path` is for messages only.
pub(crate) fn parse(path: &Path, bytes: &[u8], layout: Layout) -> Result<Trace, TraceError> {
    let Rows { requests, mut problems, block_size } = rows(path, bytes, layout, SessionColumn::default())?;
    if !layout.has_broken_rows()
        && let Some(Problem { line, problem }) = problems.drain(..).next()
    {
        return Err(TraceError::Row { path: path.to_owned(), line, problem });
    }
    if requests.is_empty() {
        return Err(match problems.into_iter().next() {
            Some(Problem { line, problem }) => TraceError::Row { path: path.to_owned(), line, problem },
            None => TraceError::NoRequests { path: path.to_owned() },
        });
    }
    Ok(Trace { layout, block_size, requests, skipped_rows: problems.len() })
}

/// The good rows and the bad ones.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) requests: Vec<Request>,
    pub(crate) problems: Vec<Problem>,
    /// Tokens of a block.
    pub(crate) block_size: u32,
}

pub(crate) fn rows(path: &Path, bytes: &[u8], layout: Layout, sessions: SessionColumn) -> Result<Rows, TraceError> {
    let columns = |names: &str| TraceError::Row {
        path: path.to_owned(),
        line: 1,
        problem: format!("{} needs the columns {names}", layout.name()),
    };
    let mut block_size = layout.block_size();
    let mut problems = Vec::new();
    let mut note = |line: usize, problem: String| problems.push(Problem { line, problem });
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
            table.problems.into_iter().for_each(|Problem { line, problem }| note(line, problem));
            table.requests
        }
    };
    Ok(Rows { requests, problems, block_size })
}

fn each<T>(bytes: &[u8], read: fn(usize, &[u8]) -> Result<T, String>, note: &mut impl FnMut(usize, String)) -> Vec<T> {
    let read = |(line, content)| read(line, content).map_err(|problem| note(line, problem)).ok();
    lines(bytes).filter_map(read).collect()
}

/// The rows below a header. `None`: the header lacks a column.
fn below_header<const N: usize>(
    bytes: &[u8],
    columns: fn(&str) -> Option<table::Columns<N>>,
    request: fn(usize, &str, &table::Columns<N>) -> Result<Request, String>,
    note: &mut impl FnMut(usize, String),
) -> Option<Vec<Request>> {
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

fn from_the_first_on(requests: &mut [Request]) {
    let first = requests.iter().filter_map(|request| request.timestamp_ms).fold(f64::INFINITY, f64::min);
    for time in requests.iter_mut().filter_map(|request| request.timestamp_ms.as_mut()) {
        // To the microsecond: the subtraction of two large numbers leaves noise behind it.
        *time = ((*time - first) * 1e3).round() / 1e3;
    }
}
