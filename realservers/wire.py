"""The server's own usage, taken from the bytes that it sent and by a reading of its own: what our program made of it is
not looked at here."""

import json
from dataclasses import dataclass
from typing import Iterator


@dataclass(frozen=True)
class Usage:
    input_tokens: int
    output_tokens: int


def usage(raw: list[dict]) -> Usage | None:
    """Of all requests together; `None` where none had any."""
    found = [merged for request in raw if (merged := _last_words(request))]
    if not found:
        return None
    return Usage(sum(map(_input, found)), sum(map(_output, found)))


def _last_words(request: dict) -> dict:
    """Streams repeat their usage as it grows, and split it over events: what was said last of each field counts."""
    merged: dict = {}
    for document in _documents(request):
        for holder in (document, document.get("response"), document.get("message")):
            if isinstance(holder, dict) and isinstance(holder.get("usage"), dict):
                merged |= {name: value for name, value in holder["usage"].items() if value is not None}
    return merged


def _documents(request: dict) -> Iterator[dict]:
    for response in request["responses"]:
        texts = [packet["value"] for packet in response.get("packets", []) if packet["name"] == "data"]
        texts += [response["text"]] if "text" in response else []
        for text in texts:
            try:
                document = json.loads(text)
            except ValueError:
                continue
            if isinstance(document, dict):
                yield document


def _input(usage: dict) -> int:
    if "prompt_tokens" in usage:
        return usage["prompt_tokens"]
    # Anthropic's count leaves out what came from the cache.
    apart = ("cache_read_input_tokens", "cache_creation_input_tokens")
    return usage.get("input_tokens", 0) + sum(usage.get(name, 0) for name in apart)


def _output(usage: dict) -> int:
    return usage.get("completion_tokens", usage.get("output_tokens", 0))
