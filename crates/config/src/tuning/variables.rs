//! The variables of the environment that change a run, as the manual lists them.

/// One environment variable, for the manual.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub name: &'static str,
    pub default: &'static str,
    pub help: &'static str,
}

const fn variable(name: &'static str, default: &'static str, help: &'static str) -> Variable {
    Variable { name, default, help }
}

/// Every variable that is read.
pub const VARIABLES: &[Variable] = &[
    variable("AIPERF_HTTP_SSL_VERIFY", "true", "Check the certificates of servers."),
    variable(
        "AIPERF_HTTP_TRUST_ENV",
        "false",
        "Go through the proxies of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`, but for the servers of `NO_PROXY`.",
    ),
    variable("AIPERF_HTTP_FORCE_CLOSE", "false", "Close each connection after its request."),
    variable("AIPERF_HTTP_USE_DNS_CACHE", "true", "Look the name of a server up once, not for each connection."),
    variable("AIPERF_HTTP_TTL_DNS_CACHE", "300", "Seconds for which a looked-up name is believed, 0 to 1000000."),
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
        "Seconds of silence before the kernel asks whether the server is there, 1 to 100000.",
    ),
    variable("AIPERF_HTTP_TCP_KEEPINTVL", "30", "Seconds between two such questions, 1 to 100000."),
    variable("AIPERF_HTTP_TCP_KEEPCNT", "1", "Unanswered questions after which a connection is given up, 1 to 100."),
    variable(
        "AIPERF_HTTP_TCP_USER_TIMEOUT",
        "30000",
        "Milliseconds for which sent data may stay unacknowledged, 1 to 1000000.",
    ),
    variable("AIPERF_HTTP_IP_VERSION", "4", "IP version to connect with: `4`, `6` or `auto`."),
    variable(
        "AIPERF_HTTP_CONNECTION_LIMIT",
        "auto",
        "Open connections per worker, 1 to 65000; `auto`: 2500, or the concurrency where that is more.",
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
        "Seconds that a request may take to be sent which `--request-cancellation-rate` has chosen, 10 to 3600.",
    ),
    variable(
        "AIPERF_HTTP_VIDEO_POLL_INTERVAL",
        "0.1",
        "Seconds between two questions after a video that is being made, 0.001 to 10.",
    ),
    variable(
        "AIPERF_HTTP_X_SESSION_AFFINITY_FROM_CORRELATION_ID",
        "true",
        "Send the session's id as `X-Session-Affinity` too.",
    ),
    variable("AIPERF_HTTP_X_SESSION_ID_FROM_CORRELATION_ID", "false", "Send the session's id as `X-Session-ID` too."),
    variable(
        "AIPERF_HTTP_X_SMG_ROUTING_KEY_FROM_CORRELATION_ID",
        "false",
        "Send the session's id as `X-SMG-Routing-Key` too.",
    ),
    variable(
        "AIPERF_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID",
        "false",
        "Send the session's id as `X-Dynamo-Session-ID` too, and that of the session that started it as `X-Dynamo-Parent-Session-ID`.",
    ),
    variable(
        "AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD",
        "10",
        "Percent by which our token counts and the server's may differ.",
    ),
    variable(
        "AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD",
        "5",
        "Percent by which an answer may miss the length asked for.",
    ),
    variable("AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD", "50", "Most tokens that this percentage may come to."),
    variable("AIPERF_ENDPOINT_FORCE_CONTENT_PARTS", "false", "Always send content as a list of parts."),
    variable("AIPERF_UI_CONSOLE_EXPORT_WIDTH", "140", "Columns of the result tables, 40 to 10000."),
    variable(
        "AIPERF_TIMING_CANCEL_DRAIN_TIMEOUT",
        "10",
        "Seconds for which a phase waits for requests that it cancelled, 1 to 300.",
    ),
    variable(
        "AIPERF_TIMING_RATE_RAMP_UPDATE_INTERVAL",
        "0.1",
        "Seconds between two steps of a changing request rate, 0.01 to 10.",
    ),
    variable(
        "AIPERF_DATASET_MEMORY_MB",
        "64",
        "Megabytes of generated prompts and bodies that are kept for the next time they are sent; what has no room is made again. 0 to 1000000.",
    ),
    variable(
        "AIPERF_DATASET_BASETEN_SESSION_COLUMN",
        "provided_session_id",
        "The column that sessions of a Baseten trace are known by where a row has both: provided_session_id or poor_man_session_id.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_SPLIT_FLATTENED_AGENTS",
        "true",
        "Tell agents apart whose requests a Weka trace holds in one list.",
    ),
    variable("AIPERF_DATASET_WEKA_TOOL_SHAPED_MESSAGES", "false", "Send what tools gave back as messages of tools."),
    variable(
        "AIPERF_DATASET_WEKA_SEAM_MAX_GAP_SECONDS",
        "3600",
        "Seconds after which a request only goes on from another if they share much; 0 or more.",
    ),
    variable("AIPERF_DATASET_WEKA_SEAM_MIN_OVERLAP_RATIO", "0.5", "That share of their blocks, 0 to 1."),
    variable("AIPERF_DATASET_WEKA_AUX_MAX_REQUESTS", "1", "Requests that a sidecar of an agent has at most."),
    variable(
        "AIPERF_DATASET_WEKA_AUX_ISL_RATIO",
        "0.1",
        "A sidecar's prompt is shorter than this share of the agent's longest; 0 or more.",
    ),
    variable("AIPERF_DATASET_WEKA_AUX_ISL_FLOOR", "16384", "Or shorter than so many tokens."),
    variable("AIPERF_DATASET_WEKA_AUX_CROSS_MODEL", "true", "Or asks another model."),
    variable("AIPERF_DATASET_WEKA_AUX_REDUCTION_OSL_MAX", "4000", "Or has an answer of fewer tokens than this,"),
    variable(
        "AIPERF_DATASET_WEKA_AUX_REDUCTION_RATIO",
        "20",
        "and a prompt of so many times the answer at least; 0 or more.",
    ),
    variable(
        "AIPERF_DATASET_WEKA_WORKER_GROUP_MIN",
        "3",
        "Agents that make a group of workers when they run side by side.",
    ),
    variable(
        "AIPERF_DATASET_TRACELAB_SUBAGENT_JOIN",
        "true",
        "Put sessions of a tracelab file under those that called them.",
    ),
    variable("AIPERF_DATASET_TRACELAB_CODEX_SUBAGENT_JOIN", "true", "The same for sessions of codex."),
    variable(
        "AIPERF_DATASET_TRACELAB_MIN_SPAWN_MS",
        "10000",
        "Milliseconds that a call which starts agents takes at least.",
    ),
    variable(
        "AIPERF_AGENTX_CONTEXT_OVERFLOW_RATE_LIMIT",
        "0.01",
        "Share of requests with too long a prompt up to which the results of a scenario count, 0 to 1.",
    ),
    variable(
        "AIPERF_AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS",
        "[\"context length\", \"maximum context\", \"context_length_exceeded\", \"prompt is too long\"]",
        "Texts, as a JSON list, that tell the refusal of too long a prompt from other failures, in any case.",
    ),
    variable("AIPERF_DAG_FAIL_FAST", "false", "A failed child ends the session that it branched from."),
    variable(
        "AIPERF_DATASET_PUBLIC_DATASET_TIMEOUT",
        "300",
        "Seconds that the download of a public data set may take, 1 to 100000; the next run goes on with what has arrived.",
    ),
    variable(
        "AIPERF_DATASET_PUBLIC_DATASET_MAX_GB",
        "20",
        "Gigabytes that a public data set may download, 0.001 to 100000.",
    ),
    variable("AIPERF_CHAT_CONNECT_TIMEOUT", "10", "Seconds until a request of `aiperf chat` must be out."),
    variable("AIPERF_CHAT_READ_TIMEOUT", "300", "Seconds that `aiperf chat` waits for more of an answer."),
    variable(
        "AIPERF_NETWORK_LATENCY_DEFAULT_PROBE_INTERVAL",
        "1",
        "Seconds between two measurements of the network's round trip, 0.001 to 300.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_MIN_SAMPLES",
        "5",
        "Measurements of the round trip that there should be, 1 to 100000.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_CONNECT_TIMEOUT",
        "5",
        "Seconds that a connection may take to measure the round trip, 0.001 to 300.",
    ),
    variable(
        "AIPERF_NETWORK_LATENCY_COMPLETE_TOPUP_TIMEOUT",
        "3",
        "Seconds that the end of the run waits for missing measurements of the round trip, 0 to 30.",
    ),
    variable("AIPERF_DEV_MODE", "false", "Developer mode."),
    variable("AIPERF_DEV_SHOW_INTERNAL_METRICS", "false", "Show internal metrics; needs developer mode."),
    variable("AIPERF_DEV_SHOW_EXPERIMENTAL_METRICS", "false", "Show experimental metrics; needs developer mode."),
];
