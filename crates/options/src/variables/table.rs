//! The variables of the environment that change a run, as the manual lists them.

/// One environment variable, for the manual.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: &'static str,
    pub default: &'static str,
    pub help: &'static str,
}

impl Variable {
    /// Whether it is left out of what is shown and stored: its value is a secret, or says where one is.
    pub fn is_private(&self) -> bool {
        self.name == super::API_TOKEN || self.is_of_nats()
    }

    /// Whether it is about the connection to NATS: it is read when that is made, not with the settings of a run.
    pub fn is_of_nats(&self) -> bool {
        self.name.starts_with(NATS)
    }
}

/// How the names of variables about the connection to NATS begin.
const NATS: &str = "AIPERF_NATS_";

const fn variable(name: &'static str, default: &'static str, help: &'static str) -> Variable {
    Variable { name, default, help }
}

/// Every variable that is read.
pub const VARIABLES: &[Variable] = &[
    variable("AIPERF_HTTP_SSL_VERIFY", "true", "Verify the certificates of servers."),
    variable(
        "AIPERF_HTTP_TRUST_ENV",
        "false",
        "Use the proxies of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`, except for the servers of `NO_PROXY`.",
    ),
    variable("AIPERF_HTTP_FORCE_CLOSE", "false", "Close each connection after its request."),
    variable("AIPERF_HTTP_USE_DNS_CACHE", "true", "Look up the name of a server once, not for each connection."),
    variable("AIPERF_HTTP_TTL_DNS_CACHE", "300", "Seconds for which a looked-up server name is cached, 0 to 1000000."),
    variable(
        "AIPERF_HTTP_SO_RCVBUF",
        "auto",
        "Receive buffer of a connection in bytes, 1024 or more; `auto`: the system sizes it.",
    ),
    variable(
        "AIPERF_HTTP_SO_SNDBUF",
        "auto",
        "Send buffer of a connection in bytes, 1024 or more; `auto`: the system sizes it.",
    ),
    variable(
        "AIPERF_HTTP_TCP_KEEPIDLE",
        "60",
        "Idle seconds before the kernel sends a TCP keepalive probe, 1 to 100000.",
    ),
    variable("AIPERF_HTTP_TCP_KEEPINTVL", "30", "Seconds between two TCP keepalive probes, 1 to 100000."),
    variable(
        "AIPERF_HTTP_TCP_KEEPCNT",
        "1",
        "Unanswered TCP keepalive probes after which a connection is closed, 1 to 100.",
    ),
    variable(
        "AIPERF_HTTP_TCP_USER_TIMEOUT",
        "30000",
        "Milliseconds for which sent data may stay unacknowledged before the connection is closed, 1 to 1000000.",
    ),
    variable("AIPERF_HTTP_IP_VERSION", "4", "IP version to connect with: `4`, `6` or `auto`."),
    variable(
        "AIPERF_HTTP_CONNECTION_LIMIT",
        "auto",
        "Maximum number of open connections per worker, 1 to 65000; `auto`: 2500, or the concurrency if \
         that is more.",
    ),
    variable(
        "AIPERF_HTTP_BODY_LIMIT_MB",
        "256",
        "Megabytes that a response body may have after unpacking, 1 to 1000000; a longer one fails its request.",
    ),
    variable("AIPERF_HTTP_KEEPALIVE_TIMEOUT", "300", "Seconds for which an idle connection is kept, 0 to 10000."),
    variable(
        "AIPERF_HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT",
        "300",
        "Time limit in seconds for sending a request that `--request-cancellation-rate` will cancel, 10 to 3600.",
    ),
    variable(
        "AIPERF_HTTP_VIDEO_POLL_INTERVAL",
        "0.1",
        "Seconds between two polls for a video that is being generated, 0.001 to 10.",
    ),
    variable(
        "AIPERF_HTTP_X_SESSION_AFFINITY_FROM_CORRELATION_ID",
        "true",
        "Also send the session id as `X-Session-Affinity`.",
    ),
    variable("AIPERF_HTTP_X_SESSION_ID_FROM_CORRELATION_ID", "false", "Also send the session id as `X-Session-ID`."),
    variable(
        "AIPERF_HTTP_X_SMG_ROUTING_KEY_FROM_CORRELATION_ID",
        "false",
        "Also send the session id as `X-SMG-Routing-Key`.",
    ),
    variable(
        "AIPERF_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID",
        "false",
        "Also send the session id as `X-Dynamo-Session-ID`, and the id of the parent session as \
         `X-Dynamo-Parent-Session-ID`.",
    ),
    variable(
        "AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD",
        "10",
        "Maximum difference in percent between the client's and the server's token counts before a warning.",
    ),
    variable(
        "AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD",
        "5",
        "Maximum difference in percent between the output length and the length asked for before a warning.",
    ),
    variable(
        "AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD",
        "50",
        "Upper limit in tokens of the difference that AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD allows.",
    ),
    variable("AIPERF_ENDPOINT_FORCE_CONTENT_PARTS", "false", "Always send content as a list of parts."),
    variable("AIPERF_UI_CONSOLE_EXPORT_WIDTH", "140", "Columns of the result tables, 40 to 10000."),
    variable(
        "AIPERF_TIMING_CANCEL_DRAIN_TIMEOUT",
        "10",
        "Maximum seconds for which a phase waits for requests that it cancelled, 1 to 300.",
    ),
    variable(
        "AIPERF_TIMING_RATE_RAMP_UPDATE_INTERVAL",
        "0.1",
        "Time step of request rate ramps in seconds, 0.01 to 10: a ramp starts at the rate it reaches after one \
         step, and a `poisson` ramp changes by such steps on average. Other ramps rise continuously.",
    ),
    variable(
        "AIPERF_TOKENIZER_CACHE",
        "true",
        "Keep the tables of large tokenizer files in `aiperf/tokenizers` of the user's cache folder \
         (`$XDG_CACHE_HOME` or `~/.cache`), so that the next run loads them faster.",
    ),
    variable(
        "AIPERF_DATASET_MEMORY_MB",
        "64",
        "Megabytes of generated prompts and bodies to cache for when they are sent again, 0 to 1000000.",
    ),
    variable(
        "AIPERF_RECORD_MEMORY_MB",
        "256",
        "Megabytes of finished requests that may wait in memory for their records, 0 to 1000000. Above it, a closed loop \
         (--concurrency) waits, and an open loop spills to a temporary file in the artifact folder.",
    ),
    variable(
        "AIPERF_DATASET_BASETEN_SESSION_COLUMN",
        "provided_session_id",
        "Session column of a Baseten trace if a row has both: provided_session_id or poor_man_session_id.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_SPLIT_FLATTENED_AGENTS",
        "true",
        "Separate the agents of a Weka trace whose requests are in one list.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_TOOL_SHAPED_MESSAGES",
        "false",
        "Send tool results of a Weka trace as tool messages.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_SEAM_MAX_GAP_SECONDS",
        "3600",
        "Gap in seconds after which a Weka request continues an earlier one only if they share enough \
         blocks; 0 or more.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_SEAM_MIN_OVERLAP_RATIO",
        "0.5",
        "Share of blocks that two Weka requests must have in common to be continued after a long gap, 0 to 1.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_AUX_MAX_REQUESTS",
        "1",
        "Maximum number of requests of an agent's sidecar in a Weka trace.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_AUX_ISL_RATIO",
        "0.1",
        "Treat a Weka request as a sidecar if its prompt is shorter than this share of the agent's \
         longest prompt; 0 or more.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_AUX_ISL_FLOOR",
        "16384",
        "Treat a Weka request as a sidecar if its prompt is shorter than this many tokens.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_AUX_CROSS_MODEL",
        "true",
        "Treat a Weka request as a sidecar if it asks another model than its agent.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_AUX_REDUCTION_OSL_MAX",
        "4000",
        "Treat a Weka request as a sidecar if its output is shorter than this many tokens and its prompt \
         long enough (AIPERF_DATASET_WEKA_AUX_REDUCTION_RATIO).",
    ),
    variable(
        "AIPERF_DATASET_WEKA_AUX_REDUCTION_RATIO",
        "20",
        "Minimum ratio of prompt to output length of a sidecar with a short output \
         (AIPERF_DATASET_WEKA_AUX_REDUCTION_OSL_MAX); 0 or more.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_WORKER_GROUP_MIN",
        "3",
        "Minimum number of agents of a Weka trace that run at the same time to form a worker group.",
    ),
    variable(
        "AIPERF_DATASET_TRACELAB_SUBAGENT_JOIN",
        "true",
        "Attach subagent sessions of a tracelab file to the sessions that started them.",
    ),
    variable(
        "AIPERF_DATASET_TRACELAB_CODEX_SUBAGENT_JOIN",
        "true",
        "Attach codex subagent sessions of a tracelab file to the sessions that started them.",
    ),
    variable(
        "AIPERF_DATASET_TRACELAB_MIN_SPAWN_MS",
        "10000",
        "Minimum duration in milliseconds of a tracelab call that starts agents.",
    ),
    variable(
        "AIPERF_AGENTX_CONTEXT_OVERFLOW_RATE_LIMIT",
        "0.01",
        "Maximum share of requests with too long a prompt for valid results of a scenario, 0 to 1.",
    ),
    variable(
        "AIPERF_AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS",
        "[\"context length\", \"maximum context\", \"context_length_exceeded\", \"prompt is too long\"]",
        "JSON list of texts that identify the error of a prompt that is too long; upper and lower case \
         do not matter.",
    ),
    variable("AIPERF_DAG_FAIL_FAST", "false", "End a session if a branch of it fails."),
    variable(
        "AIPERF_DATASET_PUBLIC_DATASET_TIMEOUT",
        "300",
        "Time limit in seconds for the download of a public data set, 1 to 100000; the next run resumes it.",
    ),
    variable(
        "AIPERF_DATASET_PUBLIC_DATASET_MAX_GB",
        "20",
        "Maximum download of a public data set in gigabytes, 0.001 to 100000.",
    ),
    variable(
        "AIPERF_CHAT_CONNECT_TIMEOUT",
        "10",
        "Time limit in seconds for connecting and sending a request of `aiperf chat`.",
    ),
    variable(
        "AIPERF_CHAT_READ_TIMEOUT",
        "300",
        "Maximum seconds that `aiperf chat` waits for the next part of a reply.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_DEFAULT_PROBE_INTERVAL",
        "1",
        "Seconds between two measurements of the network round trip, 0.001 to 300.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_MIN_SAMPLES",
        "5",
        "Minimum number of measurements of the network round trip, 1 to 100000.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_CONNECT_TIMEOUT",
        "5",
        "Time limit in seconds for a connection that measures the network round trip, 0.001 to 300.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_COMPLETE_TOPUP_TIMEOUT",
        "3",
        "Maximum seconds to wait at the end of a run for missing measurements of the network round trip, 0 to 30.",
    ),
    variable("AIPERF_GPU_COLLECTION_INTERVAL", "0.333", "Seconds between two readings of GPU telemetry, 0.01 to 300."),
    variable(
        "AIPERF_GPU_DEFAULT_DCGM_ENDPOINTS",
        "http://localhost:9400/metrics,http://localhost:9401/metrics",
        "Pages of DCGM exporters, with commas between them, that are looked for without `--gpu-telemetry`. The default ones are \
         looked for only if the server runs on this machine.",
    ),
    variable(
        "AIPERF_GPU_REACHABILITY_TIMEOUT",
        "10",
        "Time limit in seconds for the first answer of a GPU telemetry page, 1 to 300.",
    ),
    variable(
        "AIPERF_GPU_FINAL_SCRAPE_GRACE_NS",
        "666000000",
        "Maximum nanoseconds to wait after the run for the next value of each energy counter, 0 to 60000000000.",
    ),
    variable(
        "AIPERF_GPU_SHUTDOWN_DELAY",
        "5",
        "Maximum seconds that the end of a run waits for a source of GPU telemetry that does not answer, 1 to 300.",
    ),
    variable(
        "AIPERF_SERVER_METRICS_COLLECTION_INTERVAL",
        "0.333",
        "Seconds between two scrapes of a server's metrics page, 0.001 to 300. Shortly after the start of a phase \
         pages are scraped more often.",
    ),
    variable(
        "AIPERF_SERVER_METRICS_COLLECTION_FLUSH_PERIOD",
        "2",
        "Maximum seconds to wait at the end of a run until the server's counters stand still, 0 to 30.",
    ),
    variable(
        "AIPERF_SERVER_METRICS_SCRAPE_TIMEOUT",
        "30",
        "Time limit in seconds for one scrape of a server's metrics page, 0.1 to 600.",
    ),
    variable(
        "AIPERF_SERVER_METRICS_REACHABILITY_TIMEOUT",
        "10",
        "Time limit in seconds for the first scrape of a page that `--server-metrics-required` needs, 1 to 300.",
    ),
    variable(
        "AIPERF_API_TOKEN",
        "",
        "Token that clients of the live interface must send, as with `--api-token`, which goes first.",
    ),
    variable(
        "AIPERF_OTEL_FLUSH_INTERVAL_SECONDS",
        "2",
        "Seconds between two posts to the OpenTelemetry collector of `--otel-url`, 0.1 to 60.",
    ),
    variable(
        "AIPERF_OTEL_MAX_BATCH_RECORDS",
        "500",
        "Maximum number of requests that the OpenTelemetry exporter takes over at a time, and of spans in one post, 1 to 1000000.",
    ),
    variable(
        "AIPERF_OTEL_MAX_BUFFERED_RECORDS",
        "10000",
        "Maximum number of finished requests, and of spans, that wait for the OpenTelemetry exporter, 1 to 10000000; beyond it the \
         oldest are dropped and counted.",
    ),
    variable(
        "AIPERF_OTEL_REQUEST_TIMEOUT_SECONDS",
        "10",
        "Time limit in seconds for one post to the OpenTelemetry collector, and for all posts at the end of a run together, 0.1 to 300.",
    ),
    variable(
        "AIPERF_MLFLOW_EXPORT_TIMEOUT_SECONDS",
        "30",
        "Time limit in seconds for storing a finished run in MLflow, 1 to 600.",
    ),
    variable(
        "AIPERF_SEARCH_PLANNER_SLA_PRECISION_DEFAULT",
        "0.05",
        "Width of the bracket around a limit, as a share of its upper end, at which a search for it ends, 0.0001 to 0.9999.",
    ),
    variable(
        "AIPERF_SEARCH_PLANNER_SLA_PRECISION_REQUESTS",
        "{\"tight\": 10000, \"normal\": 1000, \"coarse\": 300}",
        "Requests of each probe of a search for a limit, by the name of its precision, as a JSON object.",
    ),
    variable(
        "AIPERF_SEARCH_PLANNER_DEFAULT_WARMUP_SECONDS",
        "30",
        "Seconds of warmup before each probe of a search for a limit, 0 (no warmup) to 100000.",
    ),
    variable(
        "AIPERF_SEARCH_PLANNER_FIRST_PROBE_WARMUP_FLOOR",
        "60",
        "Least seconds of warmup before the first probe of a value, 0 to 100000.",
    ),
    variable(
        "AIPERF_SEARCH_PLANNER_REPLICATE_WARMUP_FLOOR",
        "15",
        "Least seconds of warmup before a further probe of a value, 0 to 100000.",
    ),
    variable(
        "AIPERF_ACCURACY_LCB_RELEASE_TAG",
        "v4_v5",
        "Release of the tasks of `--accuracy-benchmark lcb_codegeneration`: `v4`, `v4_v5`, `release_v5` or `release_latest`.",
    ),
    variable(
        "AIPERF_ACCURACY_LCB_GRADE_TIMEOUT_MAX_S",
        "300",
        "Most seconds for all tests of one program that `code_execution` grades, 0.001 to 100000.",
    ),
    variable(
        "AIPERF_ACCURACY_CANCEL_RESULT_WAIT_SEC",
        "5",
        "Seconds for which a cancelled run goes on grading the answers it has, 0 to 100000.",
    ),
    variable("AIPERF_DEV_MODE", "false", "Turn on developer mode, which the variables AIPERF_DEV_SHOW_* need."),
    variable("AIPERF_DEV_SHOW_INTERNAL_METRICS", "false", "Show internal metrics; needs AIPERF_DEV_MODE."),
    variable("AIPERF_DEV_SHOW_EXPERIMENTAL_METRICS", "false", "Show experimental metrics; needs AIPERF_DEV_MODE."),
    variable("AIPERF_NATS_USER", "", "User name for NATS, with `--nodes`, `aiperf node` and `aiperf attach`."),
    variable("AIPERF_NATS_PASSWORD", "", "Password for NATS, with `AIPERF_NATS_USER`."),
    variable("AIPERF_NATS_TOKEN", "", "Token for NATS."),
    variable("AIPERF_NATS_CREDS", "", "Path of a NATS credentials file (a JWT and the seed of its key)."),
    variable("AIPERF_NATS_NKEY_FILE", "", "Path of a file with the seed of an nkey for NATS."),
    variable(
        "AIPERF_NATS_CA",
        "",
        "Path of a PEM file with certificates to trust for NATS; the connection then uses TLS.",
    ),
    variable("AIPERF_NATS_CERT", "", "Path of this client's certificate for NATS, in PEM."),
    variable("AIPERF_NATS_KEY", "", "Path of the key of `AIPERF_NATS_CERT`, in PEM."),
    variable(
        "AIPERF_NATS_WAIT",
        "0",
        "Seconds for which to try again if the NATS server cannot be reached at the start.",
    ),
];
