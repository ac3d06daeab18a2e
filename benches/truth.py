"""What a client says of a stream against what the simulator did.

Client and server share one machine, so their wall clocks are one clock. All times are in milliseconds.

    ttft    time_to_first_token - (write of the first content chunk - start of the request): how late the bytes were noticed
    send    arrival at the server (receive stamp of its kernel) - start of the request: connecting and sending
    issue   start of the request - credit issued: how long the client had the request before it began
    gap     gap between two chunks on record - gap between the server's two writes
    merged  a gap on record that is less than a tenth of the gap between the writes: several chunks were read at once and share
            one time. Only writes that are at least half a millisecond apart count: below, the kernel itself may merge them
"""

import itertools
from array import array
from dataclasses import dataclass, field
from typing import Iterable, Iterator

MS = 1e-6
MERGED_SHARE = 0.1
LEAST_WRITTEN_MS = 0.5
# Streams whose gaps are kept for percentiles; merged gaps are counted in all of them.
GAP_STREAMS = 2_000


@dataclass(frozen=True)
class ClientStream:
    """One request as a client recorded it."""

    request_id: str
    start_ns: int
    ttft_ms: float | None
    # Between chunks with content.
    gaps_ms: array
    issued_ns: int | None = None


@dataclass
class Errors:
    """Absolute errors in milliseconds; in order once all requests were taken in."""

    ttft: list[float] = field(default_factory=list)
    send: list[float] = field(default_factory=list)
    issue: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)
    gaps: int = 0
    merged: int = 0
    # Content chunks that the server wrote, and the time from the first to the last of them.
    chunks: int = 0
    span_s: float = 0.0
    in_flight: int = 0
    # Requests whose chunks on record are as many as the server wrote.
    whole: int = 0

    @property
    def merged_percent(self) -> float:
        return 100 * self.merged / self.gaps if self.gaps else 0.0

    @property
    def chunk_rate(self) -> float:
        return self.chunks / self.span_s if self.span_s else 0.0


def of_records(records: Iterable[dict]) -> Iterator[ClientStream]:
    """The streams of a `profile` run that did not fail."""
    for record in records:
        metadata, metrics = record["metadata"], record["metrics"]
        if not record.get("error"):
            yield ClientStream(
                metadata["x_request_id"],
                metadata["request_start_ns"],
                metrics["time_to_first_token"]["value"] if "time_to_first_token" in metrics else None,
                array("d", metrics["inter_chunk_latency"]["value"] if "inter_chunk_latency" in metrics else ()),
                metadata.get("credit_issued_ns"),
            )


def of_bare_client(lines: Iterable[dict]) -> Iterator[ClientStream]:
    """The streams of the bare client, which does not read events: the first one names the role and the last ones end the
    reply, so that only the gaps of those between them are of content."""
    for line in lines:
        events = [at for at in line["events_ns"][1:]]
        gaps = array("d", ((after - before) * MS for before, after in itertools.pairwise(events)))
        ttft = (events[0] - line["start_ns"]) * MS if events else None
        yield ClientStream(line["request_id"], line["start_ns"], ttft, gaps)


def errors(records: list[dict], truth: Iterable[dict]) -> Errors:
    return compare(of_records(records), truth)


def compare(streams: Iterable[ClientStream], truth: Iterable[dict]) -> Errors:
    by_id = {stream.request_id: stream for stream in streams}
    every = max(1, len(by_id) // GAP_STREAMS)
    found, first, last = Errors(), None, None
    for number, request in enumerate(truth):
        found.in_flight = max(found.in_flight, request["in_flight"])
        chunks = request["chunks_ns"]
        stream = by_id.get(request["request_id"])
        if stream is None or not chunks:
            continue
        offset = request["epoch_offset_ns"]
        found.chunks += len(chunks)
        first = chunks[0] if first is None else min(first, chunks[0])
        last = chunks[-1] if last is None else max(last, chunks[-1])
        found.send.append(abs(request["arrival_ns"] + offset - stream.start_ns) * MS)
        if stream.issued_ns:
            found.issue.append((stream.start_ns - stream.issued_ns) * MS)
        if stream.ttft_ms is not None:
            written = (chunks[0] + offset - stream.start_ns) * MS
            found.ttft.append(abs(stream.ttft_ms - written))
        _take_gaps(found, stream, chunks, keep=number % every == 0)
    if first is not None:
        found.span_s = (last - first) * 1e-9
    for values in (found.ttft, found.send, found.issue, found.gap):
        values.sort()
    return found


def _take_gaps(found: Errors, stream: ClientStream, chunks: list[int], keep: bool) -> None:
    written = [(after - before) * MS for before, after in itertools.pairwise(chunks)]
    # The bare client has a few gaps more, of the events that end the reply.
    found.whole += len(stream.gaps_ms) >= len(written)
    for seen, wrote in zip(stream.gaps_ms, written):
        if wrote >= LEAST_WRITTEN_MS:
            found.gaps += 1
            found.merged += seen < MERGED_SHARE * wrote
    if keep:
        found.gap.extend(abs(seen - wrote) for seen, wrote in zip(stream.gaps_ms, written))


def quantile(ordered: list[float], share: float) -> float:
    """By nearest rank; not a number without values."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def quantiles(ordered: list[float], *shares: float) -> tuple[float, ...]:
    return tuple(quantile(ordered, share) for share in shares)
