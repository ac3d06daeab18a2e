//! Names of metrics that fit: in full, or as the field abbreviates them.

use super::fitting;

/// Longer names come before names that are part of them.
const ABBREVIATIONS: [(&str, &str); 13] = [
    ("Time to First Token", "TTFT"),
    ("Time to Second Token", "TTST"),
    ("Time to First Output Token", "TTFO"),
    ("Inter Token Latency", "ITL"),
    ("Inter Chunk Latency", "ICL"),
    ("E2E Output Token Throughput", "E2E output TPS"),
    ("Output Token Throughput Per User", "Output TPS/user"),
    ("Output Token Throughput", "Output TPS"),
    ("Input Token Throughput", "Input TPS"),
    ("Completed Requests (Success + Error)", "Completed"),
    ("Prefill Throughput Per User", "Prefill TPS/user"),
    ("Output Sequence Length", "OSL"),
    ("Input Sequence Length", "ISL"),
];

/// `Time to First Token (ms)`, or if that is too long `TTFT (ms)`, `TTFT`, or as much of it as fits.
pub(crate) fn metric_name(header: &str, unit: &str, width: usize) -> String {
    let with_unit = |header: &str| if unit.is_empty() { header.to_owned() } else { format!("{header} ({unit})") };
    let short = ABBREVIATIONS
        .iter()
        .find_map(|(full, short)| header.contains(full).then(|| header.replace(full, short)))
        .unwrap_or_else(|| header.to_owned());
    [with_unit(header), with_unit(&short), short.clone()]
        .into_iter()
        .find(|name| name.chars().count() <= width)
        .unwrap_or_else(|| fitting(&short, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_abbreviated_only_if_it_must_be() {
        assert_eq!(metric_name("Time to First Token", "ms", 24), "Time to First Token (ms)");
        assert_eq!(metric_name("Time to First Token", "ms", 23), "TTFT (ms)");
        assert_eq!(metric_name("Output Token Throughput Per User", "tokens/sec/user", 20), "Output TPS/user");
        assert_eq!(metric_name("Request Count", "requests", 14), "Request Count");
    }
}
