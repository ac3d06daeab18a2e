"""LiteLLM's proxy in front of llama.cpp: a gateway that reads streams and writes them anew. Counts on its metrics page are
its own, taken from the usage of the server behind it."""

from pathlib import Path

import cache
import llama_cpp
import loads
from counters import Counter, Counters
from models import INSIDE, WORDS
from server import Server, grpc_port

PACKAGES = cache.Packages("litellm", ("litellm[proxy]==1.106.2", "prometheus-client"), compile=True, needs=(llama_cpp.PACKAGES,))
COUNTERS = Counters(
    # It answers the usual path with a redirect to this one.
    path="/metrics/",
    engine="LiteLLM",
    requests=(Counter("litellm_proxy_total_requests_metric_total"),),
    input_tokens=(Counter("litellm_input_tokens_metric_total"),),
    output_tokens=(Counter("litellm_output_tokens_metric_total"),),
)


def _command(port: int, _folder: Path) -> list[str]:
    # It has no door of this kind; the server behind it takes the port.
    behind = str(grpc_port(port))
    backend = [str(llama_cpp.PACKAGES.python), str(INSIDE / "serve_llama.py"), WORDS.gguf, behind, "tiny", "chat"]
    return [str(PACKAGES.python), str(INSIDE / "serve_litellm.py"), PACKAGES.program("litellm"), str(port), "tiny", behind, *backend]


SERVER = Server(
    "litellm",
    "LiteLLM proxy",
    PACKAGES,
    "litellm",
    _command,
    (loads.chat(), loads.chat_whole(), loads.completions()),
    (WORDS,),
    environment={
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
    },
    ready="/health/liveliness",
    start_limit_s=600.0,
    counters=COUNTERS,
)
SERVERS = (SERVER,)
