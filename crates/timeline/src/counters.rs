//! What servers and GPUs reported while the run lasted, as values over time: from the lines of their files, if the run has them.

use std::collections::BTreeMap;
use std::fs;

use aiperf_artifact::Folder;
use serde_json::Value;

use crate::TimelineError;
use crate::request::each_line;

/// Tags of the metrics that are shown, as the summary of server metrics names them, and what they are called here.
const SERVER_METRICS: [(&str, &str, &str); 3] = [
    ("running_requests", "running requests", "requests"),
    ("waiting_requests", "waiting requests", "requests"),
    ("kv_cache_usage", "KV cache usage", "share"),
];
/// Fields of NVIDIA's and AMD's GPUs.
const POWER: [&str; 2] = ["nvidia_power_usage", "amd_power"];

/// One value that changes over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CounterTrack {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// Nanoseconds since 1970, and the value from then on.
    pub(crate) points: Vec<(u64, f64)>,
}

/// All that the folder has; nothing if it has no lines of scrapes or readings.
pub(crate) fn read(folder: &Folder) -> Result<Vec<CounterTrack>, TimelineError> {
    let mut tracks = server_tracks(folder)?;
    tracks.extend(power_tracks(folder)?);
    Ok(tracks)
}

fn server_tracks(folder: &Folder) -> Result<Vec<CounterTrack>, TimelineError> {
    let (lines, summary) = (folder.paths().server_metrics("jsonl"), folder.paths().server_metrics("json"));
    if !lines.exists() {
        return Ok(Vec::new());
    }
    let summary = fs::read(&summary).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null);
    let names = source_names(&summary);
    let mut tracks: BTreeMap<(usize, String), CounterTrack> = BTreeMap::new();
    each_line(&lines, |line| {
        let page: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let (Some(at), Some(url)) = (page["timestamp_ns"].as_u64(), page["endpoint_url"].as_str()) else {
            return Err("it has no time or no address".to_owned());
        };
        for (place, (tag, title, unit)) in SERVER_METRICS.iter().enumerate() {
            let samples = names.get(*tag).into_iter().flatten().find_map(|name| page["metrics"][name].as_array());
            let Some(samples) = samples else { continue };
            let values = || samples.iter().filter_map(|sample| sample["value"].as_f64());
            // Several models or ranks at one endpoint: requests add up, shares do not.
            let value = if *unit == "share" { values().fold(f64::NAN, f64::max) } else { values().sum() };
            let track = tracks.entry((place, url.to_owned())).or_insert_with(|| CounterTrack {
                name: format!("{title} ({url})"),
                unit,
                points: Vec::new(),
            });
            track.points.extend((!value.is_nan()).then_some((at, value)));
        }
        Ok(())
    })?;
    Ok(tracks.into_values().collect())
}

/// What the engines of the run call each metric, by its tag.
fn source_names(summary: &Value) -> BTreeMap<&str, Vec<&str>> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let engines = summary["engines"].as_array().into_iter().flatten();
    for (tag, figures) in engines.filter_map(|engine| engine["metrics"].as_object()).flatten() {
        let known = names.entry(tag).or_default();
        known.extend(figures["source"].as_str().filter(|name| !known.contains(name)));
    }
    names
}

fn power_tracks(folder: &Folder) -> Result<Vec<CounterTrack>, TimelineError> {
    let path = folder.paths().gpu_telemetry();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut tracks: BTreeMap<(String, u64, String), CounterTrack> = BTreeMap::new();
    each_line(&path, |line| {
        let reading: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let watts = POWER.iter().find_map(|field| reading["telemetry_data"][field].as_f64());
        let (Some(at), Some(watts)) = (reading["timestamp_ns"].as_u64(), watts) else { return Ok(()) };
        let text = |name: &str| reading[name].as_str().unwrap_or_default().to_owned();
        let index = reading["gpu_index"].as_u64().unwrap_or_default();
        let key = (text("telemetry_source_url"), index, text("gpu_uuid"));
        let track = tracks.entry(key).or_insert_with(|| CounterTrack {
            name: format!("power of GPU {index} ({})", text("gpu_model_name")),
            unit: "W",
            points: Vec::new(),
        });
        track.points.push((at, watts));
        Ok(())
    })?;
    Ok(tracks.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_servers_and_gpus_are_found_by_what_they_mean() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        put("profile_export.jsonl", "");
        put(
            "server_metrics_export.json",
            r#"{"engines":[{"metrics":{"kv_cache_usage":{"source":"vllm:kv_cache_usage_perc"},"running_requests":{"source":"r"}}}]}"#,
        );
        put(
            "server_metrics_export.jsonl",
            "{\"endpoint_url\":\"http://a\",\"timestamp_ns\":5,\"metrics\":{\"vllm:kv_cache_usage_perc\":[{\"value\":0.25},{\"value\":0.5}],\"r\":[{\"value\":2},{\"value\":1}]}}\n\
             {\"endpoint_url\":\"http://a\",\"timestamp_ns\":9,\"metrics\":{\"r\":[{\"value\":4}]}}\n",
        );
        put(
            "gpu_telemetry_export.jsonl",
            "{\"timestamp_ns\":7,\"gpu_index\":1,\"gpu_uuid\":\"u\",\"gpu_model_name\":\"H200\",\"telemetry_data\":{\"nvidia_power_usage\":690.5}}\n",
        );
        let tracks = read(&Folder::open(dir.path()).unwrap()).unwrap();
        let found: Vec<_> = tracks.iter().map(|track| (track.name.as_str(), track.points.clone())).collect();
        assert_eq!(
            found,
            [
                ("running requests (http://a)", vec![(5, 3.0), (9, 4.0)]),
                ("KV cache usage (http://a)", vec![(5, 0.5)]),
                ("power of GPU 1 (H200)", vec![(7, 690.5)]),
            ]
        );
    }
}
