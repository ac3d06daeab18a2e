"""llama.cpp's server, by the Python package that carries it: no root and no build."""

from pathlib import Path

import cache
import loads
from counters import Counter, Counters
from models import EMBEDDER, INSIDE, RERANKER, THINKER, WORDS, Model
from server import Server

PACKAGES = cache.Packages("llama", ("xllamacpp==2026.10.11549",))
# Requests are not counted. Prompt tokens that were in the cache are counted apart.
COUNTERS = Counters(
    engine="llama.cpp",
    input_tokens=(Counter("llamacpp:prompt_tokens_total"), Counter("llamacpp:prompt_tokens_cached_total")),
    output_tokens=(Counter("llamacpp:tokens_predicted_total"),),
)


def _server(name: str, task: str, model: Model, alias: str, trials, counters: Counters | None = None) -> Server:
    def command(port: int, _folder: Path) -> list[str]:
        return [str(PACKAGES.python), str(INSIDE / "serve_llama.py"), model.gguf, str(port), alias, task]

    return Server(name, "llama.cpp", PACKAGES, "xllamacpp", command, trials, (model,), counters=counters)


TEXT = _server(
    "llama",
    "chat",
    WORDS,
    "tiny",
    (loads.chat(), loads.chat_whole(), loads.completions(), loads.responses(), loads.messages(), loads.talk("tiny")),
    COUNTERS,
)
REASONING = _server(
    "llama-reasoning", "chat", THINKER, "tiny-think", (loads.reasoning(),), COUNTERS
)
EMBEDDINGS = _server("llama-embeddings", "embed", EMBEDDER, "embed", (loads.embeddings(),))
RERANK = _server(
    "llama-rerank",
    "rerank",
    RERANKER,
    "rerank",
    (
        loads.rerank("hf_tei_rankings"),
        # It leaves the last [SEP] out.
        loads.rerank("cohere_rankings", "rerank", "--endpoint", "/v1/rerank", pair_tokens=2),
    ),
)
SERVERS = (TEXT, REASONING, EMBEDDINGS, RERANK)
