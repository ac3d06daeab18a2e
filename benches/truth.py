"""What a tool says of a stream against what the simulator did.

Client and server share one machine, so their wall clocks are one clock.

    ttft   time_to_first_token - (write of the first content chunk - request_start_ns): how late the bytes were noticed
    send   arrival at the server - request_start_ns: connecting, sending, and the server's accepting
"""

from dataclasses import dataclass

MS = 1e-6


@dataclass(frozen=True)
class Errors:
    """Absolute errors in milliseconds, in order."""

    ttft: list[float]
    send: list[float]


def errors(records: list[dict], truth: list[dict]) -> Errors:
    by_id = {record["metadata"]["x_request_id"]: record for record in records}
    ttft, send = [], []
    for request in truth:
        record = by_id.get(request["request_id"])
        if record is None or record.get("error") or not request["chunks_ns"]:
            continue
        start = record["metadata"]["request_start_ns"]
        offset = request["epoch_offset_ns"]
        written = (request["chunks_ns"][0] + offset - start) * MS
        ttft.append(abs(record["metrics"]["time_to_first_token"]["value"] - written))
        send.append(abs(request["arrival_ns"] + offset - start) * MS)
    return Errors(sorted(ttft), sorted(send))


def quantile(ordered: list[float], share: float) -> float:
    """By nearest rank."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
