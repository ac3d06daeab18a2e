"""Models small enough for any machine, made here from random numbers: nothing is downloaded."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import cache

# Scripts that run in an environment of a server: apart, so that they do not find modules of ours by the name of theirs.
INSIDE = Path(__file__).resolve().parent / "inside"
MAKE_LIMIT_S = 300
MODEL_TOOLS = cache.Packages(
    "models", ("gguf==0.19.0", "numpy==2.4.6", "safetensors==0.8.0", "tokenizers==0.23.3")
)  # fmt: skip


@dataclass(frozen=True)
class Model:
    """`script` makes the folder `name` with `flags`. It runs in `packages`: those with torch are those of a server."""

    name: str
    script: str
    flags: tuple[str, ...] = ()
    packages: cache.Packages = MODEL_TOOLS

    @property
    def folder(self) -> Path:
        return cache.folder() / "models" / self.name

    @property
    def gguf(self) -> str:
        return str(self.folder / "tiny.gguf")

    def make(self) -> None:
        if (self.folder / "model.safetensors").exists():
            return
        self.packages.install()
        env = {**cache.environment(), "HF_HUB_OFFLINE": "1"}
        argv = [str(self.packages.python), str(INSIDE / self.script), str(self.folder), *self.flags]
        subprocess.run(argv, env=env, check=True, timeout=MAKE_LIMIT_S)


# Says words that count the same on both sides, and goes on to the length that was asked for.
WORDS = Model("tiny", "tiny_llama.py", ("--gguf",))
# Thinks first, and ends by itself.
THINKER = Model("tiny-think", "tiny_llama.py", ("--gguf", "--reasoning", "--eos-prob", "0.05"))
EMBEDDER = Model("tiny-embed", "tiny_bert.py", ("--task", "embed", "--gguf"))
RERANKER = Model("tiny-rerank", "tiny_bert.py", ("--task", "rerank", "--gguf"))
