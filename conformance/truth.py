"""Holds what a tool measured against what the simulator did, request by request.

Client and server share one machine, so their wall clocks are one clock. The simulator's stamps are monotonic with a fixed
offset to the wall; both tools write the wall-clock start of a request (`request_start_ns`) and durations from there.

    send      arrival at the server          - request_start_ns
    ttft      time_to_first_token            - (write of the first content chunk - request_start_ns)
    latency   request_latency                - (write of the last content chunk  - request_start_ns)
    itl       inter_token_latency            - (last write - first write) / (output tokens - 1)
    service   time_to_first_token            - (write of the first content chunk - arrival)

`send` is how long before the server had the request the client started its watch; `ttft` and `latency` are how late the
client noticed the bytes; `service` is both together and needs no wall clock at all.
"""

from dataclasses import dataclass, field

from artifacts import Artifacts
from cases import Case

MEASURES = ("send", "ttft", "latency", "itl", "service")
STATISTICS = {"p50": 0.5, "p99": 0.99, "max": 1.0}
MS = 1e-6
# A malformed event is in addition to the whole answer; both tools read around it.
ANSWERED = ("completed", "malformed")
# Tolerance of "no farther": a median of 12 to 40 requests moves by this much from run to run.
TOLERANCE_MS = 0.05


@dataclass
class Errors:
    """Signed errors in milliseconds, by measure, and what did not match."""

    errors: dict[str, list[float]] = field(default_factory=lambda: {measure: [] for measure in MEASURES})
    compared: int = 0
    # Counts that are not the server's.
    wrong_tokens: int = 0
    # Failures that were reported as successes, or the reverse.
    wrong_outcomes: int = 0
    # Requests that the server saw and the records file does not have.
    without_record: int = 0

    def quantile(self, measure: str, share: float) -> float:
        """Of the absolute errors, by nearest rank."""
        ordered = sorted(abs(error) for error in self.errors[measure])
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def extend(self, other: "Errors") -> None:
        for measure in MEASURES:
            self.errors[measure] += other.errors[measure]
        self.compared += other.compared
        self.wrong_tokens += other.wrong_tokens
        self.wrong_outcomes += other.wrong_outcomes
        self.without_record += other.without_record

    @property
    def faithful(self) -> bool:
        return not (self.wrong_tokens or self.wrong_outcomes or self.without_record)


@dataclass(frozen=True)
class Verdict:
    measure: str
    statistic: str
    count: int
    reference_ms: float
    ours_ms: float

    @property
    def good(self) -> bool:
        return self.ours_ms <= self.reference_ms + TOLERANCE_MS


def errors_of(case: Case, artifacts: Artifacts) -> Errors:
    found = Errors()
    by_id = {line["metadata"]["x_request_id"]: line for line in artifacts.records}
    for request in artifacts.truth_requests():
        line = by_id.get(request["request_id"])
        if line is None:
            found.without_record += 1
            continue
        found.wrong_outcomes += bool(line.get("error")) == (request["outcome"] in ANSWERED)
        if request["outcome"] == "completed" and not line.get("error"):
            found.compared += 1
            found.wrong_tokens += case.exact_counts and not _tokens_match(line, request)
            _measure(found.errors, line, request)
    return found


def _measure(errors: dict[str, list[float]], line: dict, request: dict) -> None:
    metrics = {tag: metric["value"] for tag, metric in line["metrics"].items()}
    start = line["metadata"]["request_start_ns"]
    arrival = request["arrival_ns"] + request["epoch_offset_ns"]
    errors["send"].append((arrival - start) * MS)
    chunks = [stamp + request["epoch_offset_ns"] for stamp in request["chunks_ns"]]
    if not chunks:
        return
    errors["latency"].append(metrics["request_latency"] - (chunks[-1] - start) * MS)
    if "time_to_first_token" in metrics:
        errors["ttft"].append(metrics["time_to_first_token"] - (chunks[0] - start) * MS)
        errors["service"].append(metrics["time_to_first_token"] - (chunks[0] - arrival) * MS)
    if "inter_token_latency" in metrics:
        gap = (chunks[-1] - chunks[0]) * MS / (request["output_tokens"] - 1)
        errors["itl"].append(metrics["inter_token_latency"] - gap)


def _tokens_match(line: dict, request: dict) -> bool:
    def agrees(tag: str, true: int | None) -> bool:
        return tag not in line["metrics"] or true is None or line["metrics"][tag]["value"] == true

    # The reference writes an output length of 0 for endpoints that produce no tokens.
    produced = request["output_tokens"] if request["path"] != "/v1/embeddings" else 0
    return (
        agrees("input_sequence_length", request["prompt_tokens"])
        and agrees("output_sequence_length", produced)
        and agrees("reasoning_token_count", request["reasoning_tokens"])
    )


def verdicts(reference: Errors, ours: Errors) -> list[Verdict]:
    found = []
    for measure in MEASURES:
        if reference.errors[measure] and ours.errors[measure]:
            for statistic, share in STATISTICS.items():
                pair = (reference.quantile(measure, share), ours.quantile(measure, share))
                found.append(Verdict(measure, statistic, len(ours.errors[measure]), *pair))
    return found
