"""Cases about load: every mode, control and kind of session, and what the server must see of it."""

import at_server as server
import load_files
from case import LOAD, SPEED, STREAM, Case

SIM = {**SPEED, "truth_body": "true"}
FILE = ("--endpoint-type", "chat", "--streaming", "--osl", "16")
CONSTANT = ("--arrival-pattern", "constant")
TURNS = (*STREAM, "--session-turns-mean", "3", "--session-turns-stddev", "0")
SCHEDULE = (*FILE, "--input-file", "schedule.jsonl", "--custom-dataset-type", "single_turn", "--fixed-schedule")
SCHEDULE_FILE = {"schedule.jsonl": load_files.SCHEDULE}


def _graph(name: str, title: str, content: list, *flags: str) -> Case:
    # Children in the file are not sessions of their own: one pass over the roots.
    return Case(
        name,
        title,
        (*FILE, "--input-file", "graph.jsonl", "--custom-dataset-type", "dag_jsonl", *flags),
        SIM,
        files={"graph.jsonl": content},
        at_server=(server.sessions, server.texts),
    )


MODES = (
    Case(
        "burst-above-count",
        "concurrency 16, 6 requests",
        (*STREAM, "--concurrency", "16", "--request-count", "6"),
        SIM,
        # Six requests at one moment are one sample of how busy the machine was then.
        timed=False,
        at_server=(server.sessions, server.most_in_flight),
    ),
    Case(
        "rate-gamma",
        "gamma arrivals, smoothness 4, 20 requests a second",
        (*STREAM, "--request-rate", "20", "--arrival-smoothness", "4", "--request-count", "40"),
        SIM,
        at_server=(server.sessions,),
    ),
    Case(
        "rate-ceiling",
        "constant 40 requests a second, at most 2 at once",
        (*STREAM, "--request-rate", "40", *CONSTANT, "--concurrency", "2", "--request-count", "20"),
        SIM,
        at_server=(server.sessions, server.most_in_flight, server.quarters(0.5)),
    ),
    Case(
        "rate-series",
        "4, then 20, then 4 requests a second, each over 2 s",
        (*STREAM, "--request-rate-series", "series.json", *CONSTANT, "--request-count", "48"),
        SIM,
        files={"series.json": load_files.RATE_SERIES},
        at_server=(server.sessions, server.quarters(0.3)),
    ),
    Case(
        "rate-ramp",
        "constant rate that grows to 20 a second in 3 s",
        (*STREAM, "--request-rate", "20", *CONSTANT, "--request-rate-ramp-duration", "3", "--request-count", "50"),
        SIM,
        at_server=(server.sessions, server.quarters(0.3)),
    ),
    Case(
        "schedule",
        "fixed schedule from a file",
        SCHEDULE,
        SIM,
        files=SCHEDULE_FILE,
        at_server=(server.sessions, server.texts, server.arrivals(0.2)),
    ),
    Case(
        "schedule-offsets",
        "fixed schedule, a window of the file",
        (*SCHEDULE, "--fixed-schedule-start-offset", "1300", "--fixed-schedule-end-offset", "3100"),
        SIM,
        files=SCHEDULE_FILE,
        at_server=(server.sessions, server.texts, server.arrivals(0.2)),
    ),
    Case(
        "schedule-ceiling",
        "fixed schedule, one at a time",
        (*SCHEDULE, "--concurrency", "1"),
        {"ttft": "300", "itl": "40", "truth_body": "true"},
        files=SCHEDULE_FILE,
        at_server=(server.sessions, server.texts, server.most_in_flight, server.arrivals(0.6)),
    ),
    Case(
        "user-centric",
        "8 users, 4 requests a second, 4 turns",
        (*STREAM, "--user-centric-rate", "4", "--num-users", "8", "--session-turns-mean", "4", "--session-turns-stddev", "0", "--request-count", "40"),
        SIM,
        at_server=(server.sessions, server.session_ids, server.arrival_order, server.arrivals(0.2)),
    ),
)
CONTROLS = (
    Case(
        "concurrency-ramp",
        "concurrency from 1 to 5 in 4 s",
        (*STREAM, "--concurrency", "5", "--concurrency-ramp-duration", "4", "--request-count", "60"),
        SIM,
        at_server=(server.sessions, server.most_in_flight, server.in_flight_by_step(1.0, 4)),
    ),
    Case(
        "prefill",
        "4 at once, one of them waiting for its first token",
        (*STREAM, "--concurrency", "4", "--prefill-concurrency", "1", "--request-count", "20"),
        {"ttft": "100", "itl": "20", "truth_body": "true"},
        at_server=(server.sessions, server.most_in_flight, server.most_in_prefill),
    ),
    Case(
        "prefill-ramp",
        "prefill concurrency from 1 to 4 in 3 s",
        (*STREAM, "--concurrency", "8", "--prefill-concurrency", "4", "--prefill-concurrency-ramp-duration", "3", "--request-count", "45"),
        {"ttft": "200", "itl": "2", "truth_body": "true"},
        at_server=(server.sessions, server.most_in_prefill, server.in_prefill_by_step(1.0, 3)),
    ),
    Case(
        "warmup-overrides",
        "warmup with a rate of its own before a closed loop",
        (*STREAM, *LOAD, "--warmup-request-count", "10", "--warmup-request-rate", "20", "--warmup-arrival-pattern", "constant", "--warmup-concurrency", "2"),
        SIM,
        at_server=(server.sessions,),
    ),
    Case(
        "warmup-sessions",
        "warmup by sessions, one at a time, before sessions at a rate",
        (*TURNS, "--request-rate", "20", *CONSTANT, "--num-sessions", "6", "--num-warmup-sessions", "2", "--warmup-concurrency", "1"),
        SIM,
        at_server=(server.sessions,),
    ),
    Case(
        "cancel-all",
        "every request cancelled after 100 ms",
        (*STREAM, *LOAD, "--request-cancellation-rate", "100", "--request-cancellation-delay", "0.1"),
        SIM,
        timed=False,
        at_server=(server.sessions, server.connections),
    ),
    Case(
        "cancel-half",
        "half of the requests cancelled after 100 ms: which ones is each tool's own draw",
        (*STREAM, *LOAD, "--request-cancellation-rate", "50", "--request-cancellation-delay", "0.1"),
        SIM,
        same_requests=False,
        accounting=("profiling sending complete sent", "profiling complete completed", "profiling complete cancelled"),
        at_server=(server.sessions,),
    ),
    Case(
        "failed-threshold",
        "every other answered 500, the run ends when more than a fifth failed",
        (*STREAM, "--concurrency", "4", "--request-count", "400", "--failed-request-threshold", "0.2"),
        {**SIM, "error_every": "2", "error_status": "500"},
        same_requests=False,
        timed=False,
    ),
    Case(
        "reuse-pooled",
        "pooled connections",
        (*TURNS, "--concurrency", "4", "--num-sessions", "12", "--connection-reuse-strategy", "pooled"),
        SIM,
        at_server=(server.sessions, server.pooled_connections(4)),
    ),
    Case(
        "reuse-never",
        "a connection for each request",
        (*TURNS, "--concurrency", "4", "--num-sessions", "12", "--connection-reuse-strategy", "never"),
        SIM,
        at_server=(server.sessions, server.connections, server.connections_of_sessions),
    ),
    Case(
        "reuse-sticky",
        "a connection for each session",
        (*TURNS, "--concurrency", "4", "--num-sessions", "12", "--connection-reuse-strategy", "sticky-user-sessions"),
        SIM,
        at_server=(server.sessions, server.connections, server.connections_of_sessions),
    ),
    Case(
        "several-urls",
        "sessions over two servers",
        (*TURNS, "--concurrency", "4", "--num-sessions", "12"),
        SIM,
        servers=2,
        at_server=(server.sessions, server.servers),
    ),
    Case(
        "wait-for-model",
        "the server is probed first, by its list of models and by a request",
        (*STREAM, *LOAD, "--wait-for-model-timeout", "20", "--wait-for-model-mode", "both"),
        SIM,
        at_server=(server.sessions, server.probes),
    ),
    Case(
        "session-header",
        "the session's id in a header of another name",
        (*TURNS, "--concurrency", "4", "--num-sessions", "8", "--session-header", "X-Chat-Session"),
        SIM,
        at_server=(server.header("X-Chat-Session"), server.header("X-Correlation-ID"), server.header("X-Request-ID")),
    ),
)
SESSIONS = (
    Case(
        "sessions",
        "sessions of 3 turns with pauses of 200 ms, closed loop",
        (*TURNS, "--session-turn-delay-mean", "200", "--concurrency", "4", "--num-sessions", "10"),
        SIM,
        at_server=(server.sessions, server.most_in_flight, server.turn_gaps(0.1)),
    ),
    Case(
        "sessions-rate",
        "sessions of 3 turns with pauses of 200 ms, constant 20 requests a second",
        (*TURNS, "--session-turn-delay-mean", "200", "--request-rate", "20", *CONSTANT, "--num-sessions", "10"),
        SIM,
        at_server=(server.sessions, server.quarters(0.3)),
    ),
    Case(
        "sessions-cut",
        "sessions of 3 turns, cut by a request count",
        (*TURNS, "--concurrency", "4", "--request-count", "10"),
        SIM,
        at_server=(server.sessions,),
    ),
    Case(
        "multi-turn-file",
        "conversations from a file, with raw export",
        (*FILE, "--input-file", "chats.jsonl", "--custom-dataset-type", "multi_turn", "--concurrency", "2", "--num-sessions", "6", "--export-level", "raw"),
        SIM,
        files={"chats.jsonl": load_files.MULTI_TURN},
        at_server=(server.sessions, server.texts, server.replies),
    ),
    _graph("dag-forks", "a conversation that forks, one fork in the background", load_files.FORKS, "--concurrency", "2"),
    _graph("dag-joins", "conversations that spawn others and wait for them", load_files.JOINS, "--concurrency", "2"),
    _graph("dag-orchestrator", "rounds of others with thinking time", load_files.ORCHESTRATOR, "--num-sessions", "1"),
)
LOAD_CASES = (*MODES, *CONTROLS, *SESSIONS)
