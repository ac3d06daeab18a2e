//! Units of metrics, from what their help text or name says.

/// Ends of names that tell a unit.
const SUFFIXES: [(&str, &str); 22] = [
    ("_seconds", "seconds"),
    ("_milliseconds", "milliseconds"),
    ("_ms", "milliseconds"),
    ("_us", "microseconds"),
    ("_ns", "nanoseconds"),
    ("_bytes", "bytes"),
    ("_tokens", "tokens"),
    ("_requests", "requests"),
    ("_reqs", "requests"),
    ("_errors", "errors"),
    ("_blocks", "blocks"),
    ("_ratio", "ratio"),
    ("_rate", "ratio"),
    ("_percent", "percent"),
    ("_perc", "percent"),
    ("_celsius", "celsius"),
    ("_joules", "joules"),
    ("_watts", "watts"),
    ("_gb_s", "GB/s"),
    ("_success", "requests"),
    ("_total", "count"),
    ("_count", "count"),
];

/// The unit of a metric; `name` without the `_total` of counters.
pub(crate) fn unit_of(name: &str, help: &str, declared: Option<&str>) -> Option<String> {
    if let Some(declared) = declared {
        return Some(declared.to_owned());
    }
    let help = help.to_ascii_lowercase();
    // A usage that calls itself a percentage and means a share of one.
    if help.contains("(0-1)") || help.contains("1 means") || help.contains("between 0 and 1") {
        return Some("ratio".to_owned());
    }
    let name = name.to_ascii_lowercase();
    if name.contains("num_requests_") {
        return Some("requests".to_owned());
    }
    let by_name = SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix)).map(|(_, unit)| (*unit).to_owned());
    by_name.or_else(|| {
        let units = [("in seconds", "seconds"), ("in milliseconds", "milliseconds"), ("in bytes", "bytes")];
        units.iter().find(|(words, _)| help.contains(words)).map(|(_, unit)| (*unit).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_from_the_help_text_or_the_name() {
        let unit = |name, help| unit_of(name, help, None);
        assert_eq!(
            unit("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.").as_deref(),
            Some("ratio")
        );
        assert_eq!(unit("vllm:num_requests_waiting", "").as_deref(), Some("requests"));
        assert_eq!(unit("vllm:e2e_request_latency_seconds", "").as_deref(), Some("seconds"));
        assert_eq!(unit("process_resident_memory_bytes", "").as_deref(), Some("bytes"));
        assert_eq!(unit("vllm:request_success", "").as_deref(), Some("requests"));
        assert_eq!(unit("mock_untyped", "An untyped metric."), None);
        assert_eq!(unit("vllm:cache_config_info", "Information of the LLMEngine CacheConfig"), None);
        assert_eq!(unit_of("a_seconds", "", Some("days")).as_deref(), Some("days"));
    }
}
