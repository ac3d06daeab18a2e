//! A trace that is named as one is replayed at its own times, unless the user wants it otherwise.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::{Map, Value};

use crate::catalogue::OptionId;
use crate::{ConfigError, DatasetConfig, DatasetSource, FileFormat, RawOptions};

/// Options of another load than the recorded one.
const OTHER_LOAD: [OptionId; 9] = [
    OptionId::RequestRate,
    OptionId::RequestRateSeries,
    OptionId::UserCentricRate,
    OptionId::NumUsers,
    OptionId::ArrivalSmoothness,
    OptionId::ArrivalPattern,
    OptionId::RequestRateRampDuration,
    OptionId::RequestCount,
    OptionId::ConversationNum,
];

/// A first line that is longer than this is no row of a trace.
const LONGEST_ROW: u64 = 16 << 20;
/// What files begin with that gzip or zstd packed.
const PACKED: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

/// Whether the run has a fixed schedule because of its data.
pub(super) fn applies(raw: &RawOptions, dataset: &DatasetConfig) -> Result<bool, ConfigError> {
    let DatasetSource::File(file) = &dataset.source else { return Ok(false) };
    let promotes = file.format.is_some_and(|format| format.facts().promotes_schedule);
    if !promotes || file.trace.ignore_times || raw.flag(OptionId::NoFixedSchedule)? {
        return Ok(false);
    }
    let type_id = OptionId::CustomDatasetType;
    // The others have a time in every row.
    if file.format == Some(FileFormat::MooncakeTrace) {
        match first_row_has_time(&file.path) {
            Some(true) => {}
            Some(false) => return Ok(false),
            None => {
                let needs = format!("{} or {}", OptionId::FixedSchedule.flag(), OptionId::NoFixedSchedule.flag());
                let why = "the file is packed, and it does not show whether its rows have times";
                return Err(raw.needs_text(type_id, &needs, why));
            }
        }
    }
    if let Some(other) = OTHER_LOAD.into_iter().find(|id| raw.is_given(*id)) {
        let why = format!(
            "its rows say when each request is due, and all are sent then; {} keeps the load that you choose",
            OptionId::NoFixedSchedule.flag()
        );
        return Err(raw.conflict(other, type_id, &why));
    }
    Ok(true)
}

/// `None` when the file is packed. One that cannot be read has none; its reader will say what is wrong with it.
fn first_row_has_time(path: &Path) -> Option<bool> {
    let Ok(file) = File::open(path) else { return Some(false) };
    let mut reader = BufReader::new(file.take(LONGEST_ROW));
    if reader.fill_buf().is_ok_and(|start| PACKED.iter().any(|magic| start.starts_with(magic))) {
        return None;
    }
    let first = reader.split(b'\n').map_while(Result::ok).find(|line| !line.trim_ascii().is_empty());
    let line = first.unwrap_or_default();
    let row: Option<Map<String, Value>> =
        serde_json::from_slice(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line)).ok();
    Some(row.is_some_and(|row| row.get("timestamp").is_some_and(|time| !time.is_null())))
}
