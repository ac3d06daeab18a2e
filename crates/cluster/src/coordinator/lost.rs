//! Requests of a node that is lost whose records have not arrived: each gets a record that says so, so that no request is missing from
//! the results.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::NodeInRun;
use crate::ClusterError;
use crate::message::{PhaseSent, ReplacementEntry};

/// The file of records, as a run without an export prefix names it.
pub(super) const RECORDS: &str = "profile_export.jsonl";
/// The error type of these records.
const LOST_WORKER: &str = "lost_worker";

/// Appends a record for each request that the node had sent and that has none; returns how many. What a replaced node has sent after its
/// replacement began is left out: the replacement sends it.
pub(super) fn write_lost_requests(node: &NodeInRun) -> Result<u64, ClusterError> {
    let path = node.replica.folder().join(RECORDS);
    let mut phases: Vec<SentPhase> = node.own_phases().into_iter().map(SentPhase::new).collect();
    if path.exists() {
        if node.replacement.is_some() {
            drop_later_records(&path, &mut phases)?;
        } else {
            mark_records(&path, &mut phases)?;
        }
    }
    let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(ClusterError::file(&path))?;
    let at = node.replica.clock.last().map_or(0, |reading| reading.at_ns).max(node.last_word().at_ns);
    let mut lost = 0;
    for (place, phase) in phases.iter().enumerate() {
        let kind = if phase.name.starts_with("warmup") { "warmup" } else { "profiling" };
        for number in phase.without_record() {
            let line = json!({
                "metadata": {
                    "session_num": number,
                    "x_request_id": format!("lost-{}-{place}-{number}", node.view.index),
                    "request_start_ns": at,
                    "request_end_ns": at,
                    "benchmark_phase": kind,
                    "phase_name": phase.name,
                    "was_cancelled": false,
                },
                "metrics": {},
                "error": {
                    "type": LOST_WORKER,
                    "message": format!("{} was lost before the record of this request arrived", node.view.title()),
                },
            });
            writeln!(file, "{line}").map_err(ClusterError::file(&path))?;
            lost += 1;
        }
    }
    Ok(lost)
}

impl NodeInRun {
    /// Requests of each phase that it had sent, up to where its replacement began.
    fn own_phases(&self) -> Vec<PhaseSent> {
        let mut phases = self.last_word().by_phase();
        let Some(ReplacementEntry { after, .. }) = &self.replacement else { return phases };
        let by_others = self.began_after.as_ref().filter(|before| before.phase == after.phase);
        match phases.iter().position(|phase| phase.phase == after.phase) {
            Some(current) => {
                phases.truncate(current + 1);
                phases[current].sent = after.sent.saturating_sub(by_others.map_or(0, |before| before.sent));
            }
            None => phases.clear(),
        }
        phases
    }
}

/// The requests of a phase that a node had sent: they are numbered in the order of sending.
struct SentPhase {
    name: String,
    /// For each of them, whether its record is here.
    recorded: Vec<bool>,
}

impl SentPhase {
    fn new(PhaseSent { phase, sent }: PhaseSent) -> Self {
        Self { name: phase, recorded: vec![false; sent as usize] }
    }

    fn without_record(&self) -> impl Iterator<Item = usize> {
        self.recorded.iter().enumerate().filter(|(_, is_recorded)| !**is_recorded).map(|(number, _)| number)
    }
}

/// How many records of a node are here.
pub(super) fn recorded(node: &NodeInRun) -> Result<u64, ClusterError> {
    let path = node.replica.folder().join(RECORDS);
    if !path.exists() {
        return Ok(0);
    }
    let mut reader = open(&path)?;
    let mut count = 0;
    loop {
        let length = {
            let buffer = reader.fill_buf().map_err(ClusterError::file(&path))?;
            count += memchr::memchr_iter(b'\n', buffer).count() as u64;
            buffer.len()
        };
        if length == 0 {
            return Ok(count);
        }
        reader.consume(length);
    }
}

#[derive(Deserialize)]
struct RecordPlace {
    metadata: PlaceMetadata,
}

#[derive(Deserialize)]
struct PlaceMetadata {
    /// Requests of a phase are numbered in the order of sending.
    session_num: u64,
    phase_name: String,
}

fn place_of(line: &[u8]) -> Option<PlaceMetadata> {
    serde_json::from_slice::<RecordPlace>(line).ok().map(|place| place.metadata)
}

/// Marks the requests that have a record. A record that is newer than the last heartbeat says that those before it were sent, too.
fn mark_records(path: &Path, phases: &mut Vec<SentPhase>) -> Result<(), ClusterError> {
    for line in open(path)?.split(b'\n') {
        let Some(place) = place_of(&line.map_err(ClusterError::file(path))?) else { continue };
        let known = phases.iter().position(|phase| phase.name == place.phase_name);
        let phase = known.unwrap_or_else(|| {
            phases.push(SentPhase { name: place.phase_name, recorded: Vec::new() });
            phases.len() - 1
        });
        let (recorded, number) = (&mut phases[phase].recorded, place.session_num as usize);
        if recorded.len() <= number {
            recorded.resize(number + 1, false);
        }
        recorded[number] = true;
    }
    Ok(())
}

/// Marks the requests that have a record, and drops the records of requests that the replacement sends.
fn drop_later_records(path: &Path, phases: &mut [SentPhase]) -> Result<(), ClusterError> {
    let kept = path.with_extension("kept");
    let mut out = BufWriter::new(File::create(&kept).map_err(ClusterError::file(&kept))?);
    for line in open(path)?.split(b'\n') {
        let line = line.map_err(ClusterError::file(path))?;
        if let Some(place) = place_of(&line) {
            let phase = phases.iter_mut().find(|phase| phase.name == place.phase_name);
            let Some(recorded) = phase.and_then(|phase| phase.recorded.get_mut(place.session_num as usize)) else {
                continue;
            };
            *recorded = true;
        }
        out.write_all(&line).and_then(|()| out.write_all(b"\n")).map_err(ClusterError::file(&kept))?;
    }
    out.flush().map_err(ClusterError::file(&kept))?;
    fs::rename(&kept, path).map_err(ClusterError::file(path))
}

fn open(path: &Path) -> Result<BufReader<File>, ClusterError> {
    Ok(BufReader::with_capacity(1 << 20, File::open(path).map_err(ClusterError::file(path))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(phase: &str, number: u64) -> String {
        format!("{{\"metadata\":{{\"session_num\":{number},\"phase_name\":\"{phase}\"}}}}\n")
    }

    fn sent(phases: &[(&str, u64)]) -> Vec<SentPhase> {
        phases.iter().map(|(phase, sent)| SentPhase::new(PhaseSent { phase: (*phase).into(), sent: *sent })).collect()
    }

    fn without_record(phases: &[SentPhase]) -> Vec<(&str, usize)> {
        phases.iter().flat_map(|phase| phase.without_record().map(|number| (&*phase.name, number))).collect()
    }

    #[test]
    fn records_of_requests_that_the_replacement_sends_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(RECORDS);
        let lines = [("warmup", 9), ("profiling", 0), ("profiling", 3), ("profiling", 2), ("later", 0)];
        fs::write(&path, lines.map(|(phase, number)| line(phase, number)).concat()).unwrap();
        let mut phases = sent(&[("warmup", 10), ("profiling", 3)]);
        drop_later_records(&path, &mut phases).unwrap();
        let kept = [line("warmup", 9), line("profiling", 0), line("profiling", 2)].concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), kept);
        let missing: Vec<(&str, usize)> = (0..9).map(|number| ("warmup", number)).chain([("profiling", 1)]).collect();
        assert_eq!(without_record(&phases), missing);
    }

    #[test]
    fn a_record_says_that_the_requests_before_it_were_sent() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(RECORDS);
        fs::write(&path, [line("warmup", 0), line("profiling", 2), "no record\n".to_owned()].concat()).unwrap();
        let mut phases = sent(&[("warmup", 2)]);
        mark_records(&path, &mut phases).unwrap();
        assert_eq!(without_record(&phases), [("warmup", 1), ("profiling", 0), ("profiling", 1)]);
    }
}
