//! Swim lanes: a row for each slot with the requests of its sessions, and below it how many sessions were active and how many waited
//! between two turns. As a picture, and as a page to look closer.

mod axis;
mod draw;
mod page;
mod picture;

use std::fs;
use std::path::Path;

use aiperf_artifact::Folder;
use serde_json::Value;

use crate::TimelineError;
use crate::request::{self, PastRequest};

/// What the user adds to what the folder says.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SwimLaneOptions {
    /// Target of the concurrency, drawn as a line; by default that of the run.
    pub concurrency: Option<u64>,
    /// Seconds after which the load was meant to be there in full; by default that of the run.
    pub ramp: Option<f64>,
}

/// The requests of a run, ready to be drawn.
#[derive(Debug)]
pub struct SwimLanes {
    name: String,
    requests: Vec<PastRequest>,
    concurrency: Option<u64>,
    ramp: Option<f64>,
}

impl SwimLanes {
    /// Reads the records of the run in `dir`.
    pub fn read(dir: &Path, options: SwimLaneOptions) -> Result<Self, TimelineError> {
        let folder = Folder::open(dir)?;
        let requests = request::read(&folder)?;
        let summary = fs::read(folder.paths().summary_json()).ok();
        let summary: Value = summary.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null);
        let phase = profiling_phase(&summary["input_config"]);
        let name =
            dir.file_name().map_or_else(|| dir.display().to_string(), |name| name.to_string_lossy().into_owned());
        Ok(Self {
            name,
            requests,
            concurrency: options.concurrency.or_else(|| phase["concurrency"].as_u64()),
            ramp: options.ramp.or_else(|| ramp_of(phase)).filter(|seconds| *seconds > 0.0),
        })
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, TimelineError> {
        draw::png(self)
    }

    /// A page that shows the same, to zoom and to look at single requests.
    pub fn html(&self) -> String {
        page::html(self)
    }

    /// When the first request began.
    fn start(&self) -> u64 {
        self.requests.first().map_or(0, |request| request.start)
    }

    /// Seconds from the first request to the end of the last one.
    fn length(&self) -> f64 {
        let end = self.requests.iter().map(|request| request.end).max().unwrap_or(0);
        (end - self.start()) as f64 / 1e9
    }

    /// Seconds since the first request.
    fn seconds(&self, at: u64) -> f64 {
        (at - self.start()) as f64 / 1e9
    }
}

fn profiling_phase(config: &Value) -> &Value {
    let phases = config["phases"].as_array().map_or(&[][..], Vec::as_slice);
    phases.iter().rfind(|phase| phase["kind"] != "warmup").unwrap_or(&Value::Null)
}

/// The time over which the load was raised.
fn ramp_of(phase: &Value) -> Option<f64> {
    let ramp = &phase["concurrency_ramp"];
    ramp["duration"].as_f64().or_else(|| ramp.as_f64()).or_else(|| phase["concurrency_ramp_duration"].as_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tests::request;

    fn lanes(requests: Vec<PastRequest>) -> SwimLanes {
        SwimLanes { name: "a <run>".to_owned(), requests, concurrency: Some(2), ramp: Some(0.004) }
    }

    #[test]
    fn a_picture_has_a_row_for_each_slot() {
        let lanes = lanes(vec![request("a", 0, 0, 10), request("b", 0, 5, 12), request("a", 1, 20, 30)]);
        let png = lanes.png().unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
        assert_eq!(reader.info().width, draw::WIDTH);
        let more: Vec<_> = (0..300).map(|number| request(&number.to_string(), 0, number, number + 400)).collect();
        let tall = SwimLanes { requests: more, ..lanes }.png().unwrap();
        let tall = png::Decoder::new(std::io::Cursor::new(&tall)).read_info().unwrap();
        assert!(tall.info().height > reader.info().height);
    }

    #[test]
    fn a_request_that_did_not_complete_is_red() {
        let has_red = |lanes: &SwimLanes| {
            let png = lanes.png().unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            // The bar lets five hundredths of the light row behind it through.
            pixels.chunks_exact(3).any(|pixel| pixel[0] > 190 && pixel[0] < 215 && pixel[1] < 20 && pixel[2] < 20)
        };
        let mut lanes = lanes((0..10).map(|number| request(&number.to_string(), 0, 0, 10 + number)).collect());
        assert!(!has_red(&lanes));
        lanes.requests[3].ending = crate::request::Ending::Failed;
        assert!(has_red(&lanes));
    }

    #[test]
    fn a_page_has_all_requests_and_no_markup_of_names() {
        let html = lanes(vec![request("a", 0, 0, 10), request("b", 0, 5, 12)]).html();
        assert!(html.contains("a &lt;run&gt;") && !html.contains("a <run>"), "{html}");
        assert!(html.contains("default-src 'none'") && !html.contains("http://") && !html.contains("https://"));
        let data = html.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["requests"].as_array().unwrap().len(), 2);
        assert_eq!(data["slots"], 2);
    }

    #[test]
    fn concurrency_and_ramp_come_from_the_configuration() {
        let config: Value = serde_json::from_str(
            r#"{"phases":[{"kind":"warmup","concurrency":1},{"kind":"profiling","concurrency":8,"concurrency_ramp":{"duration":5.0}}]}"#,
        )
        .unwrap();
        let phase = profiling_phase(&config);
        assert_eq!((phase["concurrency"].as_u64(), ramp_of(phase)), (Some(8), Some(5.0)));
    }
}
