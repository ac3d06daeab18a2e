"""SGLang on the CPU. Its kernels are those of CUDA, which must load and are not used."""

import shutil
import subprocess
from pathlib import Path

import cache
import loads
from counters import Counter, Counters
from models import THINKER, WORDS, Model
from server import Server

PACKAGES = cache.Packages("sglang", ("sglang==0.5.23",), compile=True)
# Functions of the driver that are looked up when the kernels are loaded. All say that there is no device.
DRIVER = "\n".join(f"int {name}(void) {{ return 100; }}" for name in ("cuInit", "cuPointerGetAttribute", "cuDriverGetVersion"))


def _pair(name: str) -> tuple[Counter, Counter]:
    return Counter(f"sglang:{name}_seconds_sum"), Counter(f"sglang:{name}_seconds_count")


COUNTERS = Counters(
    engine="SGLang",
    requests=(Counter("sglang:num_requests_total"),),
    input_tokens=(Counter("sglang:prompt_tokens_total"),),
    output_tokens=(Counter("sglang:generation_tokens_total"),),
    ttft=_pair("time_to_first_token"),
    latency=_pair("e2e_request_latency"),
)


def _driver() -> Path:
    """A folder with a library in the place of the driver's."""
    folder = cache.folder() / "no-driver"
    library = folder / "libcuda.so.1"
    if not library.exists():
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError("SGLang needs a C compiler here: install gcc")
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "driver.c"
        source.write_text(DRIVER + "\n")
        build = [compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(library), str(source)]
        subprocess.run(build, check=True, timeout=60)
    return folder


def _server(name: str, model: Model, alias: str, trials, *more: str) -> Server:
    def command(port: int, _folder: Path) -> list[str]:
        _driver()
        argv = [str(PACKAGES.python), "-m", "sglang.launch_server", "--model-path", str(model.folder)]
        argv += ["--served-model-name", alias, "--host", "127.0.0.1", "--port", str(port), "--enable-metrics"]
        argv += ["--device", "cpu", "--dtype", "float32", "--attention-backend", "torch_native"]
        argv += ["--sampling-backend", "pytorch", "--grammar-backend", "none", "--disable-overlap-schedule"]
        argv += ["--disable-cuda-graph", "--mem-fraction-static", "0.2", "--max-total-tokens", "16384"]
        return [*argv, "--context-length", "4096", *more]

    return Server(
        name,
        "SGLang (CPU)",
        PACKAGES,
        "sglang",
        command,
        trials,
        (model,),
        environment={"LD_LIBRARY_PATH": str(cache.folder() / "no-driver"), "SGLANG_USE_CPU_ENGINE": "1"},
        start_limit_s=900.0,
        counters=COUNTERS,
    )


TEXT = _server(
    "sglang",
    WORDS,
    "tiny",
    (loads.chat(), loads.chat_whole(), loads.completions(), loads.messages()),
)
REASONING = _server(
    "sglang-reasoning",
    THINKER,
    "tiny-think",
    # Ends that it is told to pass over would be counted and not shown, as with vLLM.
    (loads.reasoning(to_the_end="min_tokens:64"),),
    "--reasoning-parser",
    "deepseek-r1",
)
SERVERS = (TEXT, REASONING)
