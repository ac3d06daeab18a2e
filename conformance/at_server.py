"""What the simulator saw of a run: sessions, turns, history, connections, and when requests came."""

import json
import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any, Callable

from artifacts import Artifacts
from near import Near

SECOND = 1e-9
# What this harness itself asks of the simulator.
OWN_PATHS = ("/health", "/sim/truth")
Facts = dict[str, Any]


def sessions(artifacts: Artifacts) -> Facts:
    """How many, of how many turns, and that each turn carries the one before it."""
    by_session = _by_session(artifacts)
    carried = [_carries(before, after) for turns in by_session.values() for before, after in pairwise(turns)]
    return {
        "at the server: requests": len(artifacts.truth_requests()),
        "at the server: sessions by number of turns": Counter(len(turns) for turns in by_session.values()),
        "at the server: roles of the messages in a request": Counter(
            " ".join(f"{role}:{kind}" for role, kind, _ in _messages(request)) for request in artifacts.truth_requests()
        ),
        "at the server: turns that hold the turn before and a reply": Counter(carried),
        "at the server: turns sent before the turn before was answered": sum(
            after["arrival_ns"] < before["end_ns"] for turns in by_session.values() for before, after in pairwise(turns)
        ),
    }


def texts(artifacts: Artifacts) -> Facts:
    """The messages themselves, for data that both tools were given; replies apart, which are the server's."""
    bodies = [
        tuple(f"{role}: {'(reply)' if role == 'assistant' else text}" for role, _, text in _messages(request))
        for request in artifacts.truth_requests()
    ]
    return {"at the server: messages of each request": Counter(bodies)}


def bodies(artifacts: Artifacts) -> Facts:
    """Everything that was sent, for data that both tools were given."""
    return {"at the server: bodies": Counter(_body(request) for request in artifacts.truth_requests())}


def generated_bodies(artifacts: Artifacts) -> Facts:
    """Everything but the texts, for data whose texts each tool makes for itself."""
    return {"at the server: bodies but for their texts": Counter(_outline(request) for request in artifacts.truth_requests())}


def distinct_bodies(artifacts: Artifacts) -> Facts:
    """Which bodies there are, however often each was drawn."""
    return {"at the server: distinct bodies": sorted({_body(request) for request in artifacts.truth_requests()})}


def _body(request: dict) -> str:
    """The body in a form that depends on nothing but its content. Replies are the server's, and an image from a file may be
    encoded again."""
    body = json.loads(request["body"])
    for message in body["messages"]:
        if message["role"] == "assistant" and isinstance(message["content"], str):
            message["content"] = "(said)"
        for part in message["content"] if isinstance(message["content"], list) else []:
            url = part.get("image_url", {}).get("url", "")
            if url.startswith("data:"):
                part["image_url"]["url"] = url.partition(",")[0]
    return json.dumps(body, sort_keys=True)


def wire(artifacts: Artifacts) -> Facts:
    """Request lines, headers in their order and the form of bodies, once each: how often a job is asked after is chance."""
    forms = {
        f"{request['method']} {_JOB.sub('video_N', request['path'])} | {' '.join(key for key, _ in request['headers'])} | {_form(request)}"
        for request in artifacts.truth
        if request["request_id"]
    }
    return {"at the server: forms of requests": sorted(forms)}


_JOB = re.compile(r"video_\w+")
# Where both tools put what each generates for itself, and what the server said before.
_OWN = {
    "content", "text", "prompt", "input", "inputs", "query", "documents", "texts", "passages", "url", "image_url", "data", "system",
    "instructions", "id", "call_id", "name", "arguments", "signature", "thinking",
}  # fmt: skip


def _form(request: dict) -> str:
    """A body without its texts: of data URLs the type stays, of forms the heads of their parts."""
    body = request.get("body") or ""
    if body.startswith("--"):
        heads = (part.partition("\r\n\r\n")[0] for part in body.split(body.partition("\r\n")[0])[1:-1])
        return " / ".join(head.strip().replace("\r\n", "; ") for head in heads)
    return json.dumps(_without_texts(json.loads(body), "")) if body else ""


def _without_texts(value: Any, key: str) -> Any:
    match value:
        case dict():
            return {name: _without_texts(inner, name) for name, inner in value.items()}
        case list():
            return [_without_texts(inner, key) for inner in value]
        case str() if key in _OWN:
            before, url, _ = value.partition("data:")
            media = value[len(before) :].partition(",")[0] if url else ""
            return f"({'text' if before else ''}{media})"
        case _:
            return value


def _outline(request: dict) -> str:
    body = json.loads(request["body"])
    for message in body["messages"]:
        if isinstance(message["content"], str):
            message["content"] = "(text)"
    return json.dumps(body, sort_keys=True)


def replies(artifacts: Artifacts) -> Facts:
    """Whether the last reply in the history is the one that the server gave to the turn before. Needs the raw file."""
    given = {line["metadata"]["x_request_id"]: _reply(line) for line in artifacts.raw}
    own: Counter[bool] = Counter()
    for turns in _by_session(artifacts).values():
        for before, after in pairwise(turns):
            spoken = [text for role, _, text in _messages(after) if role == "assistant"]
            own[bool(spoken) and spoken[-1] == given.get(before["request_id"])] += 1
    return {"at the server: replies in the history that are the server's own": own}


def session_ids(artifacts: Artifacts) -> Facts:
    """For modes in which the session header is not a random one."""
    return {"at the server: session ids": Counter(request["correlation_id"] for request in artifacts.truth_requests())}


def arrival_order(artifacts: Artifacts) -> Facts:
    return {"at the server: order of session ids": [request["correlation_id"] for request in _arrived(artifacts)]}


def header(name: str) -> Callable[[Artifacts], Facts]:
    """How many requests carry the header, and with how many values."""

    def found(artifacts: Artifacts) -> Facts:
        values = [
            value for request in artifacts.truth_requests() for key, value in request["headers"] if key.lower() == name.lower()
        ]
        return {f"at the server: requests with {name}, values": (len(values), len(set(values)))}

    return found


def connections(artifacts: Artifacts) -> Facts:
    """How many connections carried how many requests."""
    return {"at the server: connections by number of requests": Counter(_by_connection(artifacts).values())}


def pooled_connections(limit: int) -> Callable[[Artifacts], Facts]:
    """Which connection takes which request is chance; that no more are open than requests in flight is not."""

    def found(artifacts: Artifacts) -> Facts:
        return {f"at the server: at most {limit} connections": len(_by_connection(artifacts)) <= limit}

    return found


def connections_of_sessions(artifacts: Artifacts) -> Facts:
    used: dict[str, set] = defaultdict(set)
    for request in artifacts.truth_requests():
        used[request["correlation_id"]].add((request["server"], request["connection"]))
    return {"at the server: sessions by number of connections": Counter(map(len, used.values()))}


def servers(artifacts: Artifacts) -> Facts:
    used: dict[str, set] = defaultdict(set)
    for request in artifacts.truth_requests():
        used[request["correlation_id"]].add(request["server"])
    return {
        "at the server: requests of each server": Counter(request["server"] for request in artifacts.truth_requests()),
        "at the server: sessions by number of servers": Counter(map(len, used.values())),
    }


def probes(artifacts: Artifacts) -> Facts:
    """Requests that are not part of the load."""
    load = {id(request) for request in artifacts.truth_requests()}
    others = (request for request in artifacts.truth if id(request) not in load and request["path"] not in OWN_PATHS)
    return {"at the server: other requests": Counter(f"{request['method']} {request['path']}" for request in others)}


def most_in_flight(artifacts: Artifacts) -> Facts:
    return {"at the server: most in flight": max((request["in_flight"] for request in artifacts.truth_requests()), default=0)}


def most_in_prefill(artifacts: Artifacts) -> Facts:
    spans = [_prefill(request) for request in artifacts.truth_requests()]
    return {"at the server: most waiting for their first token": max(map(lambda span: _overlap(spans, span[0]), spans), default=0)}


def in_flight_by_step(step_s: float, steps: int) -> Callable[[Artifacts], Facts]:
    return _by_step("in flight", _whole, step_s, steps)


def in_prefill_by_step(step_s: float, steps: int) -> Callable[[Artifacts], Facts]:
    return _by_step("waiting for their first token", _prefill, step_s, steps)


def _by_step(what: str, span_of, step_s: float, steps: int) -> Callable[[Artifacts], Facts]:
    """The most at once in the middle of each step of a ramp: where a step begins and ends is a matter of milliseconds."""

    def found(artifacts: Artifacts) -> Facts:
        spans = [span_of(request) for request in artifacts.truth_requests()]
        zero = min((span[0] for span in spans), default=0)
        most = [0] * steps
        for start, _ in spans:
            step, into = divmod((start - zero) * SECOND / step_s, 1)
            if step < steps and 0.3 < into < 0.9:
                most[int(step)] = max(most[int(step)], _overlap(spans, start))
        return {f"at the server: most {what} in each step of {step_s} s": most}

    return found


def quarters(tolerance_s: float) -> Callable[[Artifacts], Facts]:
    """When a quarter, half, three quarters and all of the requests had come, from the first on."""

    def found(artifacts: Artifacts) -> Facts:
        times = _times(artifacts)
        marks = [times[len(times) * part // 4 - 1] for part in (1, 2, 3, 4)] if len(times) >= 4 else times
        return {"at the server: arrival of each quarter": Near(tuple(marks), tolerance_s)}

    return found


def arrivals(tolerance_s: float) -> Callable[[Artifacts], Facts]:
    """When each request came, from the first on."""
    return lambda artifacts: {"at the server: arrivals": Near(tuple(_times(artifacts)), tolerance_s)}


def turn_gaps(tolerance_s: float) -> Callable[[Artifacts], Facts]:
    """From the end of a turn to the arrival of the next, shortest first."""

    def found(artifacts: Artifacts) -> Facts:
        gaps = sorted(
            (after["arrival_ns"] - before["end_ns"]) * SECOND
            for turns in _by_session(artifacts).values()
            for before, after in pairwise(turns)
        )
        return {"at the server: pauses between turns": Near(tuple(gaps), tolerance_s)}

    return found


def _arrived(artifacts: Artifacts) -> list[dict]:
    return sorted(artifacts.truth_requests(), key=_arrival)


def _arrival(request: dict) -> int:
    """On the wall clock, which several simulators share."""
    return request["arrival_epoch_ns"]


def _times(artifacts: Artifacts) -> list[float]:
    found = [_arrival(request) for request in _arrived(artifacts)]
    return [(at - found[0]) * SECOND for at in found]


def _by_session(artifacts: Artifacts) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = defaultdict(list)
    for request in _arrived(artifacts):
        found[request["correlation_id"]].append(request)
    return found


def _by_connection(artifacts: Artifacts) -> Counter:
    return Counter((request["server"], request["connection"]) for request in artifacts.truth_requests())


def _messages(request: dict) -> list[tuple[str, str, str]]:
    """Role, JSON type of the content, and text."""
    found = []
    for message in json.loads(request["body"])["messages"]:
        content = message["content"]
        parts = content if isinstance(content, list) else [{"text": content}]
        found.append((message["role"], type(content).__name__, " + ".join(str(part.get("text")) for part in parts)))
    return found


def _carries(before: dict, after: dict) -> bool:
    earlier, later = _messages(before), _messages(after)
    added = [role for role, _, _ in later[len(earlier) :]]
    return later[: len(earlier)] == earlier and added[:1] == ["assistant"]


def _reply(line: dict) -> str:
    """The text of a streamed reply in the raw file."""
    found = []
    for response in line["responses"]:
        for packet in response.get("packets", []):
            if packet["name"] == "data" and packet["value"] != "[DONE]":
                choices = json.loads(packet["value"]).get("choices") or [{}]
                found.append(choices[0].get("delta", {}).get("content") or "")
    return "".join(found)


def _whole(request: dict) -> tuple[int, int]:
    return request["arrival_ns"], request["end_ns"]


def _prefill(request: dict) -> tuple[int, int]:
    return request["arrival_ns"], (request["chunks_ns"] or [request["end_ns"]])[0]


def _overlap(spans: list[tuple[int, int]], at: int) -> int:
    return sum(start <= at < end for start, end in spans)
