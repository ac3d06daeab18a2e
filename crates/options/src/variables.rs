//! Settings that come from `AIPERF_*` environment variables, for what has no option.

mod agents;
mod gpu;
mod network;
mod otel;
mod search;
mod socket;
mod table;
mod unread;
mod without_effect;

use std::collections::BTreeMap;
use std::time::Duration;

use aiperf_address::{IpVersion, Secret};
use aiperf_config::{SearchTuning, Tuning};
use aiperf_protocol::AffinityHeaders;
use aiperf_redact::REDACTED;

use crate::ConfigError;
use crate::grammar::number;
use crate::groups::api;
pub use table::{VARIABLES, Variable};
pub use unread::{UnreadVariable, unread_variables};
pub use without_effect::{WithoutEffect, variables_without_effect};

/// The token of the live interface. It is a secret, and not part of the command that is shown.
pub(crate) const API_TOKEN: &str = "AIPERF_API_TOKEN";

/// How searches probe, as the environment says.
pub fn search_tuning(variables: &BTreeMap<String, String>) -> Result<SearchTuning, ConfigError> {
    Variables(variables).search()
}

/// Names that nothing here knows are left alone, as they may be another program's.
pub(crate) fn read(variables: &BTreeMap<String, String>) -> Result<Tuning, ConfigError> {
    let read = Variables(variables);
    let default = Tuning::default();
    let affinity = default.affinity;
    let dev_mode = read.truth("AIPERF_DEV_MODE", false)?;
    // Followed where tokenizers are loaded (`aiperf_hub::HubEnvironment`); here a wrong value is refused.
    read.truth("AIPERF_TOKENIZER_CACHE", true)?;
    Ok(Tuning {
        ssl_verify: read.truth("AIPERF_HTTP_SSL_VERIFY", default.ssl_verify)?,
        trust_env: read.truth("AIPERF_HTTP_TRUST_ENV", default.trust_env)?,
        force_close: read.truth("AIPERF_HTTP_FORCE_CLOSE", default.force_close)?,
        dns_cache: read.dns_cache()?,
        socket: read.socket()?,
        cancellation_send_timeout: read.seconds(
            "AIPERF_HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT",
            default.cancellation_send_timeout,
            10.0,
            3_600.0,
        )?,
        ip_version: read.ip_version()?,
        connection_limit: read.connection_limit()?,
        body_limit: read.int("AIPERF_HTTP_BODY_LIMIT_MB", default.body_limit / MEGABYTE, 1, 1_000_000)? * MEGABYTE,
        keepalive_timeout: read.seconds("AIPERF_HTTP_KEEPALIVE_TIMEOUT", default.keepalive_timeout, 0.0, 10_000.0)?,
        video_poll_interval: read.seconds(
            "AIPERF_HTTP_VIDEO_POLL_INTERVAL",
            default.video_poll_interval,
            0.001,
            10.0,
        )?,
        affinity: AffinityHeaders {
            session_affinity: read.copy("SESSION_AFFINITY", affinity.session_affinity)?,
            session_id: read.copy("SESSION_ID", affinity.session_id)?,
            smg_routing_key: read.copy("SMG_ROUTING_KEY", affinity.smg_routing_key)?,
            dynamo_session_id: read.copy("DYNAMO_SESSION_ID", affinity.dynamo_session_id)?,
        },
        usage_diff_percent: read.percent("USAGE_PCT_DIFF_THRESHOLD", default.usage_diff_percent)?,
        osl_mismatch_percent: read.percent("OSL_MISMATCH_PCT_THRESHOLD", default.osl_mismatch_percent)?,
        osl_mismatch_max_tokens: read.int(
            "AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD",
            default.osl_mismatch_max_tokens,
            1,
            i128::from(u32::MAX),
        )?,
        force_content_parts: read.truth("AIPERF_ENDPOINT_FORCE_CONTENT_PARTS", default.force_content_parts)?,
        console_width: read.int("AIPERF_UI_CONSOLE_EXPORT_WIDTH", default.console_width, 40, 10_000)?,
        cancel_drain: read.seconds("AIPERF_TIMING_CANCEL_DRAIN_TIMEOUT", default.cancel_drain, 1.0, 300.0)?,
        rate_ramp_interval: read.seconds(
            "AIPERF_TIMING_RATE_RAMP_UPDATE_INTERVAL",
            default.rate_ramp_interval,
            0.01,
            10.0,
        )?,
        dataset_memory: read.int("AIPERF_DATASET_MEMORY_MB", default.dataset_memory / MEGABYTE, 0, 1_000_000)?
            * MEGABYTE,
        record_memory: read.int("AIPERF_RECORD_MEMORY_MB", default.record_memory / MEGABYTE, 0, 1_000_000)? * MEGABYTE,
        agents: read.agents()?,
        rtt_probing: read.rtt_probing()?,
        gpu_collection: read.gpu_collection()?,
        scraping: read.scraping()?,
        otel: read.otel()?,
        mlflow_timeout: read.seconds("AIPERF_MLFLOW_EXPORT_TIMEOUT_SECONDS", default.mlflow_timeout, 1.0, 600.0)?,
        session_column: read.session_column()?,
        dag_fail_fast: read.truth("AIPERF_DAG_FAIL_FAST", default.dag_fail_fast)?,
        context_overflow_limit: read.float(
            "AIPERF_AGENTX_CONTEXT_OVERFLOW_RATE_LIMIT",
            default.context_overflow_limit,
            0.0,
            1.0,
        )?,
        context_overflow_signs: read
            .texts("AIPERF_AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS", default.context_overflow_signs)?,
        public_dataset_timeout: read.seconds(
            "AIPERF_DATASET_PUBLIC_DATASET_TIMEOUT",
            default.public_dataset_timeout,
            1.0,
            100_000.0,
        )?,
        public_dataset_max_gb: read.float(
            "AIPERF_DATASET_PUBLIC_DATASET_MAX_GB",
            default.public_dataset_max_gb,
            0.001,
            100_000.0,
        )?,
        lcb_release: read.lcb_release(default.lcb_release)?,
        lcb_grade_timeout: read.seconds(
            "AIPERF_ACCURACY_LCB_GRADE_TIMEOUT_MAX_S",
            default.lcb_grade_timeout,
            0.001,
            100_000.0,
        )?,
        accuracy_cancel_wait: read.seconds(
            "AIPERF_ACCURACY_CANCEL_RESULT_WAIT_SEC",
            default.accuracy_cancel_wait,
            0.0,
            100_000.0,
        )?,
        chat_connect_timeout: read.chat_timeout("CONNECT", default.chat_connect_timeout)?,
        chat_read_timeout: read.chat_timeout("READ", default.chat_read_timeout)?,
        api_token: read.api_token()?,
        search: read.search()?,
        show_internal_metrics: read.truth("AIPERF_DEV_SHOW_INTERNAL_METRICS", false)? && dev_mode,
        show_experimental_metrics: read.truth("AIPERF_DEV_SHOW_EXPERIMENTAL_METRICS", false)? && dev_mode,
    })
}

const MEGABYTE: usize = 1 << 20;

struct Variables<'a>(&'a BTreeMap<String, String>);

impl Variables<'_> {
    /// The parsed value, the default when unset, or an error that names the variable.
    fn read<T>(
        &self,
        name: &str,
        default: T,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let Some(text) = self.0.get(name) else { return Ok(default) };
        parse(text.trim()).ok_or_else(|| ConfigError::BadVariable {
            name: name.to_owned(),
            value: text.clone(),
            expected: expected.to_owned(),
        })
    }

    fn truth(&self, name: &str, default: bool) -> Result<bool, ConfigError> {
        self.read(name, default, "must be true, yes, 1, false, no or 0", number::truth)
    }

    fn int<T: TryFrom<i128>>(&self, name: &str, default: T, low: i128, high: i128) -> Result<T, ConfigError> {
        self.read(name, default, &format!("must be a whole number from {low} to {high}"), |text| {
            number::int(text).filter(|value| (low..=high).contains(value)).and_then(|value| T::try_from(value).ok())
        })
    }

    fn float(&self, name: &str, default: f64, low: f64, high: f64) -> Result<f64, ConfigError> {
        self.read(name, default, &format!("must be a number from {low} to {high}"), |text| {
            number::float(text).filter(|value| (low..=high).contains(value))
        })
    }

    fn seconds(&self, name: &str, default: Duration, low: f64, high: f64) -> Result<Duration, ConfigError> {
        self.float(name, default.as_secs_f64(), low, high).map(Duration::from_secs_f64)
    }

    fn texts(&self, name: &str, default: Vec<String>) -> Result<Vec<String>, ConfigError> {
        let expected = r#"must be a JSON list of texts, such as ["context length", "too many tokens"]"#;
        self.read(name, default, expected, |text| serde_json::from_str(text).ok())
    }

    fn lcb_release(&self, default: String) -> Result<String, ConfigError> {
        let expected = "must be a release of LiveCodeBench, such as v4_v5, v6 or release_latest";
        self.read("AIPERF_ACCURACY_LCB_RELEASE_TAG", default, expected, |text| {
            aiperf_accuracy::release_files(text).map(|_| text.to_owned())
        })
    }

    fn chat_timeout(&self, name: &str, default: Duration) -> Result<Duration, ConfigError> {
        self.seconds(&format!("AIPERF_CHAT_{name}_TIMEOUT"), default, 0.001, 1e6)
    }

    fn percent(&self, name: &str, default: f64) -> Result<f64, ConfigError> {
        self.float(&format!("AIPERF_METRICS_{name}"), default, 0.0, 100.0)
    }

    fn copy(&self, name: &str, default: bool) -> Result<bool, ConfigError> {
        self.truth(&format!("AIPERF_HTTP_X_{name}_FROM_CORRELATION_ID"), default)
    }

    fn connection_limit(&self) -> Result<Option<usize>, ConfigError> {
        let expected = "must be a whole number from 1 to 65000, or auto";
        self.read("AIPERF_HTTP_CONNECTION_LIMIT", None, expected, |text| {
            if text.eq_ignore_ascii_case("auto") {
                return Some(None);
            }
            let limit = number::int(text).filter(|limit| (1..=65_000).contains(limit))?;
            usize::try_from(limit).ok().map(Some)
        })
    }

    /// The token itself never appears in an error.
    fn api_token(&self) -> Result<Option<Secret>, ConfigError> {
        let Some(text) = self.0.get(API_TOKEN).filter(|text| !text.is_empty()) else { return Ok(None) };
        api::read_token(text).map(Some).map_err(|expected| ConfigError::BadVariable {
            name: API_TOKEN.to_owned(),
            value: REDACTED.to_owned(),
            expected: expected.to_owned(),
        })
    }

    fn ip_version(&self) -> Result<IpVersion, ConfigError> {
        self.read("AIPERF_HTTP_IP_VERSION", IpVersion::V4, "must be 4, 6 or auto", |text| {
            match text.to_ascii_lowercase().as_str() {
                "4" => Some(IpVersion::V4),
                "6" => Some(IpVersion::V6),
                "auto" => Some(IpVersion::Auto),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Tuning, ConfigError> {
        super::read(&pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect())
    }

    #[test]
    fn an_empty_environment_gives_the_defaults() {
        assert_eq!(read(&[("AIPERF_SOMETHING_ELSE", "x"), ("PATH", "/bin")]).unwrap(), Tuning::default());
    }

    #[test]
    fn variables_are_typed() {
        let tuning = read(&[
            ("AIPERF_HTTP_SSL_VERIFY", "no"),
            ("AIPERF_HTTP_IP_VERSION", "auto"),
            ("AIPERF_AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS", r#"["too many tokens"]"#),
            ("AIPERF_HTTP_X_SESSION_AFFINITY_FROM_CORRELATION_ID", "0"),
            ("AIPERF_HTTP_KEEPALIVE_TIMEOUT", "0.5"),
            ("AIPERF_UI_CONSOLE_EXPORT_WIDTH", "80"),
            ("AIPERF_TIMING_CANCEL_DRAIN_TIMEOUT", "2.5"),
            ("AIPERF_TIMING_RATE_RAMP_UPDATE_INTERVAL", "0.01"),
            ("AIPERF_DAG_FAIL_FAST", "yes"),
            ("AIPERF_HTTP_CONNECTION_LIMIT", "70"),
            ("AIPERF_HTTP_BODY_LIMIT_MB", "3"),
        ])
        .unwrap();
        assert_eq!(tuning.connection_limit, Some(70));
        assert_eq!(tuning.body_limit, 3 << 20);
        assert_eq!(tuning.cancel_drain, Duration::from_millis(2500));
        assert_eq!(tuning.rate_ramp_interval, Duration::from_millis(10));
        assert!(tuning.dag_fail_fast);
        assert_eq!(tuning.context_overflow_signs, ["too many tokens"]);
        assert!(!tuning.ssl_verify && !tuning.affinity.session_affinity);
        assert_eq!((tuning.ip_version, tuning.console_width), (IpVersion::Auto, 80));
        assert_eq!(tuning.keepalive_timeout, Duration::from_millis(500));
    }

    #[test]
    fn hidden_metrics_are_shown_only_in_developer_mode() {
        let show = ("AIPERF_DEV_SHOW_INTERNAL_METRICS", "1");
        assert!(!read(&[show]).unwrap().show_internal_metrics);
        assert!(read(&[show, ("AIPERF_DEV_MODE", "true")]).unwrap().show_internal_metrics);
    }

    #[test]
    fn every_variable_of_the_manual_is_read_and_its_default_is_true() {
        for variable in VARIABLES.iter().filter(|variable| !variable.is_of_nats()) {
            assert!(
                read(&[(variable.name, "?")]).unwrap_err().to_string().contains(variable.name),
                "{}",
                variable.name
            );
            assert_eq!(read(&[(variable.name, variable.default)]).unwrap(), Tuning::default(), "{}", variable.name);
        }
    }

    #[test]
    fn a_bad_value_is_an_error_that_names_the_variable() {
        for (name, value) in [
            ("AIPERF_HTTP_SSL_VERIFY", "maybe"),
            ("AIPERF_HTTP_IP_VERSION", "5"),
            ("AIPERF_HTTP_CONNECTION_LIMIT", "0"),
            ("AIPERF_HTTP_BODY_LIMIT_MB", "0"),
            ("AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD", "101"),
            ("AIPERF_UI_CONSOLE_EXPORT_WIDTH", "wide"),
            ("AIPERF_TIMING_CANCEL_DRAIN_TIMEOUT", "0.5"),
            ("AIPERF_TIMING_RATE_RAMP_UPDATE_INTERVAL", "0"),
            ("AIPERF_DAG_FAIL_FAST", "sometimes"),
        ] {
            assert!(read(&[(name, value)]).unwrap_err().to_string().contains(name), "{name}");
        }
    }
}
