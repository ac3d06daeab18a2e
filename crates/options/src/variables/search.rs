//! How searches for a limit probe it (`AIPERF_SEARCH_PLANNER_*`).

use aiperf_config::{ProbeWarmup, SearchTuning, SlaPrecision};

use super::Variables;
use crate::ConfigError;

impl Variables<'_> {
    pub(super) fn search(&self) -> Result<SearchTuning, ConfigError> {
        let default = SearchTuning::default();
        let seconds =
            |name: &str, default| self.seconds(&format!("AIPERF_SEARCH_PLANNER_{name}"), default, 0.0, 100_000.0);
        Ok(SearchTuning {
            bracket_precision: self.float(
                "AIPERF_SEARCH_PLANNER_SLA_PRECISION_DEFAULT",
                default.bracket_precision,
                0.0001,
                0.9999,
            )?,
            requests: self.requests(default.requests)?,
            warmup: ProbeWarmup {
                base: seconds("DEFAULT_WARMUP_SECONDS", default.warmup.base)?,
                first: seconds("FIRST_PROBE_WARMUP_FLOOR", default.warmup.first)?,
                repeat: seconds("REPLICATE_WARMUP_FLOOR", default.warmup.repeat)?,
            },
        })
    }

    /// Names that are left out keep their number.
    fn requests(&self, default: [u64; 3]) -> Result<[u64; 3], ConfigError> {
        let expected =
            r#"must be a JSON object of numbers above 0, such as {"tight": 10000, "normal": 1000, "coarse": 300}"#;
        self.read("AIPERF_SEARCH_PLANNER_SLA_PRECISION_REQUESTS", default, expected, |text| {
            let given: std::collections::BTreeMap<String, u64> = serde_json::from_str(text).ok()?;
            let mut requests = default;
            for (name, count) in given {
                requests[SlaPrecision::from_name(&name)? as usize] = Some(count).filter(|count| *count > 0)?;
            }
            Some(requests)
        })
    }
}
