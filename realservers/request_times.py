"""Times that the server states in each answer, against its metrics page and against the time to first token that they
split. Of vLLM with --enable-per-request-metrics."""

from artifacts import Artifacts  # of conformance/
from checks import Check
from counters import Counter, Samples

QUEUE = Counter("vllm:request_queue_time_seconds_sum")
PREFILL = Counter("vllm:request_prefill_time_seconds_sum")
PARTS = ("ttft_client_time", "ttft_network_time", "server_queue_time", "server_prefill_time")
# Records are in whole nanoseconds, the page in seconds with many digits.
ROUNDING_MS = 1e-3


def checks(run: Artifacts, page: Samples) -> list[Check]:
    records = [record["metrics"] for record in run.records if not record.get("error")]
    return [
        _same_sum("queue times", records, "server_queue_time", QUEUE.of(page)),
        _same_sum("prefill times", records, "server_prefill_time", PREFILL.of(page)),
        *_split(records),
    ]


def _same_sum(what: str, records: list[dict], metric: str, page_s: float) -> Check:
    found = [record[metric]["value"] for record in records if metric in record]
    ours, theirs = sum(found), page_s * 1000
    good = len(found) == len(records) and abs(ours - theirs) <= ROUNDING_MS * max(len(found), 1)
    return Check(f"{what} of {len(found)} answers", f"{ours:.3f} ms", f"{theirs:.3f} ms (metrics)", good)


def _split(records: list[dict]) -> list[Check]:
    """The parts of each time to first token add up to it. Without streaming there is none."""
    timed = [record for record in records if "time_to_first_token" in record]
    if not timed:
        return []
    gaps = [_gap(record) for record in timed]
    worst = max(abs(gap) for gap in gaps)
    return [Check("parts of TTFT add up", f"largest difference {worst:.4f} ms", "0 ms", worst <= ROUNDING_MS)]


def _gap(record: dict) -> float:
    parts = [record[part]["value"] if part in record else float("inf") for part in PARTS]
    return sum(parts) - record["time_to_first_token"]["value"]
