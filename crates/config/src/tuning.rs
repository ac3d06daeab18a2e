//! Settings that have no option and come from `AIPERF_*` environment variables.

use std::time::Duration;

use aiperf_address::{IpVersion, Secret, SocketOptions};
use aiperf_protocol::AffinityHeaders;

use crate::{AgentDetection, GpuCollection, OtelSending, RttProbing, Scraping, SearchTuning, SessionColumn};

const MEGABYTE: usize = 1 << 20;
const OVERFLOW_SIGNS: [&str; 4] =
    ["context length", "maximum context", "context_length_exceeded", "prompt is too long"];
const DNS_CACHE: Duration = Duration::from_secs(300);

/// Read once at the start; every field has its default when the variable is not set.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// `AIPERF_HTTP_SSL_VERIFY`: check certificates.
    pub ssl_verify: bool,
    /// `AIPERF_HTTP_TRUST_ENV`: go through the proxies that the environment names.
    pub trust_env: bool,
    /// `AIPERF_HTTP_FORCE_CLOSE`: close each connection after its request.
    pub force_close: bool,
    /// `AIPERF_HTTP_USE_DNS_CACHE` and `AIPERF_HTTP_TTL_DNS_CACHE`: how long a looked-up name is believed.
    pub dns_cache: Duration,
    /// `AIPERF_HTTP_SO_*` and `AIPERF_HTTP_TCP_*`.
    pub socket: SocketOptions,
    /// `AIPERF_HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT`: for the sending of a request that is to be cancelled.
    pub cancellation_send_timeout: Duration,
    /// `AIPERF_HTTP_IP_VERSION`.
    pub ip_version: IpVersion,
    /// `AIPERF_HTTP_CONNECTION_LIMIT`: open connections per worker; `None`: as many as the load needs.
    pub connection_limit: Option<usize>,
    /// `AIPERF_HTTP_BODY_LIMIT_MB`: bytes that a response body may have.
    pub body_limit: usize,
    /// `AIPERF_HTTP_KEEPALIVE_TIMEOUT`: how long an idle connection is kept.
    pub keepalive_timeout: Duration,
    /// `AIPERF_HTTP_VIDEO_POLL_INTERVAL`: pause between two questions after a video.
    pub video_poll_interval: Duration,
    /// `AIPERF_HTTP_X_*_FROM_CORRELATION_ID`: further headers that repeat the id of the session.
    pub affinity: AffinityHeaders,
    /// `AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD`: percent.
    pub usage_diff_percent: f64,
    /// `AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD`: percent.
    pub osl_mismatch_percent: f64,
    /// `AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD`.
    pub osl_mismatch_max_tokens: u64,
    /// `AIPERF_ENDPOINT_FORCE_CONTENT_PARTS`: always send content as a list of parts.
    pub force_content_parts: bool,
    /// `AIPERF_UI_CONSOLE_EXPORT_WIDTH`: columns of the result tables.
    pub console_width: usize,
    /// `AIPERF_TIMING_CANCEL_DRAIN_TIMEOUT`: how long a phase waits for requests that it cancelled.
    pub cancel_drain: Duration,
    /// `AIPERF_TIMING_RATE_RAMP_UPDATE_INTERVAL`: the step in which a changing rate is applied.
    pub rate_ramp_interval: Duration,
    /// `AIPERF_DATASET_MEMORY_MB`: bytes of generated contents and bodies that are kept for the next time.
    pub dataset_memory: usize,
    /// `AIPERF_RECORD_MEMORY_MB`: bytes of finished requests that may wait in memory for their records.
    pub record_memory: usize,
    /// `AIPERF_DATASET_WEKA_*` and `AIPERF_DATASET_TRACELAB_*`.
    pub agents: AgentDetection,
    /// `AIPERF_NETWORK_LATENCY_*`.
    pub rtt_probing: RttProbing,
    /// `AIPERF_GPU_*`.
    pub gpu_collection: GpuCollection,
    /// `AIPERF_SERVER_METRICS_*`.
    pub scraping: Scraping,
    /// `AIPERF_OTEL_*`.
    pub otel: OtelSending,
    /// `AIPERF_MLFLOW_EXPORT_TIMEOUT_SECONDS`: for storing a finished run in MLflow.
    pub mlflow_timeout: Duration,
    /// `AIPERF_DATASET_BASETEN_SESSION_COLUMN`: what a Baseten trace knows sessions by.
    pub session_column: SessionColumn,
    /// `AIPERF_DAG_FAIL_FAST`: a failed child ends the session it branched from.
    pub dag_fail_fast: bool,
    /// `AIPERF_AGENTX_CONTEXT_OVERFLOW_RATE_LIMIT`: share of requests with too long a prompt up to which the results of a
    /// scenario count.
    pub context_overflow_limit: f64,
    /// `AIPERF_AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS`: texts that tell such a refusal.
    pub context_overflow_signs: Vec<String>,
    /// `AIPERF_DATASET_PUBLIC_DATASET_TIMEOUT`: for the download of a public data set.
    pub public_dataset_timeout: Duration,
    /// `AIPERF_DATASET_PUBLIC_DATASET_MAX_GB`: the most that a public data set may download.
    pub public_dataset_max_gb: f64,
    /// `AIPERF_ACCURACY_LCB_RELEASE_TAG`: the release of the tasks of `lcb_codegeneration`.
    pub lcb_release: String,
    /// `AIPERF_ACCURACY_LCB_GRADE_TIMEOUT_MAX_S`: the longest time for all tests of one program.
    pub lcb_grade_timeout: Duration,
    /// `AIPERF_ACCURACY_CANCEL_RESULT_WAIT_SEC`: how long a cancelled run goes on grading.
    pub accuracy_cancel_wait: Duration,
    /// `AIPERF_CHAT_CONNECT_TIMEOUT`: until the request of a turn of `aiperf chat` is out.
    pub chat_connect_timeout: Duration,
    /// `AIPERF_CHAT_READ_TIMEOUT`: between two arrivals of its answer.
    pub chat_read_timeout: Duration,
    /// `AIPERF_API_TOKEN`: who sends it may use the live interface.
    pub api_token: Option<Secret>,
    /// `AIPERF_SEARCH_PLANNER_*`.
    pub search: SearchTuning,
    /// `AIPERF_DEV_SHOW_INTERNAL_METRICS`, only with `AIPERF_DEV_MODE`.
    pub show_internal_metrics: bool,
    /// `AIPERF_DEV_SHOW_EXPERIMENTAL_METRICS`, only with `AIPERF_DEV_MODE`.
    pub show_experimental_metrics: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            ssl_verify: true,
            trust_env: false,
            force_close: false,
            dns_cache: DNS_CACHE,
            socket: SocketOptions::default(),
            cancellation_send_timeout: Duration::from_secs(300),
            ip_version: IpVersion::V4,
            connection_limit: None,
            body_limit: 256 * MEGABYTE,
            keepalive_timeout: Duration::from_secs(300),
            video_poll_interval: Duration::from_millis(100),
            affinity: AffinityHeaders::default(),
            usage_diff_percent: 10.0,
            osl_mismatch_percent: 5.0,
            osl_mismatch_max_tokens: 50,
            force_content_parts: false,
            console_width: 140,
            cancel_drain: Duration::from_secs(10),
            rate_ramp_interval: Duration::from_millis(100),
            dataset_memory: 64 * MEGABYTE,
            record_memory: 256 * MEGABYTE,
            agents: AgentDetection::default(),
            rtt_probing: RttProbing::default(),
            gpu_collection: GpuCollection::default(),
            scraping: Scraping::default(),
            otel: OtelSending::default(),
            mlflow_timeout: Duration::from_secs(30),
            session_column: SessionColumn::default(),
            dag_fail_fast: false,
            context_overflow_limit: 0.01,
            context_overflow_signs: OVERFLOW_SIGNS.map(str::to_owned).to_vec(),
            public_dataset_timeout: Duration::from_secs(300),
            public_dataset_max_gb: 20.0,
            lcb_release: "v4_v5".to_owned(),
            lcb_grade_timeout: Duration::from_secs(300),
            accuracy_cancel_wait: Duration::from_secs(5),
            chat_connect_timeout: Duration::from_secs(10),
            chat_read_timeout: Duration::from_secs(300),
            api_token: None,
            search: SearchTuning::default(),
            show_internal_metrics: false,
            show_experimental_metrics: false,
        }
    }
}
