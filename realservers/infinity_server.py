"""infinity: embeddings and rerank by several models in one process. Its usage counts characters."""

from pathlib import Path

import cache
import loads
from counters import Counter, Counters
from models import EMBEDDER, RERANKER
from server import Server

PACKAGES = cache.Packages("infinity", ("infinity-emb[torch,server]==0.0.78", "torch==2.13.0"), compile=True)


def _requests(path: str) -> Counters:
    return Counters(requests=(Counter("http_requests_total", (("handler", path), ("status", "2xx"))),))


def _command(port: int, _folder: Path) -> list[str]:
    argv = [PACKAGES.program("infinity_emb"), "v2", "--host", "127.0.0.1", "--port", str(port), "--url-prefix", "/v1"]
    for model, name in ((EMBEDDER, "embed"), (RERANKER, "rerank")):
        argv += ["--model-id", str(model.folder), "--served-model-name", name]
    return [*argv, "--device", "cpu", "--engine", "torch", "--no-bettertransformer", "--no-model-warmup"]


SERVER = Server(
    "infinity",
    "infinity",
    PACKAGES,
    "infinity-emb",
    _command,
    (
        loads.embeddings(counters=_requests("/v1/embeddings"), usage_counts_input=False),
        loads.rerank(
            "cohere_rankings",
            "rerank",
            "--endpoint",
            "/v1/rerank",
            counters=_requests("/v1/rerank"),
            usage_counts_input=False,
        ),
    ),
    (EMBEDDER, RERANKER),
)
SERVERS = (SERVER,)
