//! Every tag of any recorded run of the reference is in the catalogue, in the same unit and in the same files.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use aiperf_metrics::{Metric, MetricContext};
use aiperf_protocol::EndpointKind;

/// Tag, unit, and whether it stands in summaries or in records; gathered from all recorded runs.
const RECORDED: &str = include_str!("fixtures/recorded_tags.tsv");

#[test]
fn every_recorded_tag_is_in_the_catalogue_in_its_unit() {
    let mut context = MetricContext::new(EndpointKind::Chat, true);
    context.slos.push(context.slo("request_latency", 1.0).unwrap());
    context.show_internal = true;
    context.show_experimental = true;
    let per_request = context.record_metrics();
    let mut seen = 0;
    for line in RECORDED.lines() {
        let fields: Vec<_> = line.split('\t').collect();
        let [tag, unit, file] = fields[..] else { panic!("{line}") };
        let metric = Metric::from_tag(tag).unwrap_or_else(|| panic!("{tag} is not in the catalogue"));
        assert_eq!(metric.definition().shown.label(), unit, "unit of {tag}");
        if file == "record" && !tag.starts_with("replay_") {
            assert!(per_request.contains(&metric), "{tag} is missing in the per-request file");
        }
        seen += 1;
    }
    assert!(seen > 150, "{seen}");
}
