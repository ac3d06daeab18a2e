"""Triton, as the package `nvidia-pytriton` carries it: its generate extension in front of a model that says the words of
its prompt again, one at a time."""

import os
import shutil
from pathlib import Path

import cache
from counters import Counter, Counters
from server import Server, grpc_port, metrics_port
from trial import Trial

PACKAGES = cache.Packages("triton", ("nvidia-pytriton==0.7.0",))
CONFIG = """\
backend: "python"
max_batch_size: 0
model_transaction_policy { decoupled: %s }
input [
  { name: "text_input" data_type: TYPE_STRING dims: [ 1 ] },
  { name: "max_tokens" data_type: TYPE_INT32 dims: [ 1 ] optional: true },
  { name: "stream" data_type: TYPE_BOOL dims: [ 1 ] optional: true }
]
output [ { name: "text_output" data_type: TYPE_STRING dims: [ -1 ] } ]
"""
MODEL = '''\
import numpy as np
import triton_python_backend_utils as pb


def answer(request):
    text = pb.get_input_tensor_by_name(request, "text_input").as_numpy().flatten()[0].decode()
    limit = pb.get_input_tensor_by_name(request, "max_tokens")
    words = text.split()[: int(limit.as_numpy().flatten()[0])] if limit is not None else text.split()
    return [" " + word for word in words]


def response(text):
    return pb.InferenceResponse([pb.Tensor("text_output", np.array([text.encode()], dtype=np.object_))])


class TritonPythonModel:
    def execute(self, requests):
        if not DECOUPLED:
            return [response("".join(answer(request))) for request in requests]
        for request in requests:
            sender = request.get_response_sender()
            for word in answer(request):
                sender.send(response(word))
            sender.send(flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
'''


def _site() -> Path:
    return PACKAGES.folder / "lib" / f"python{cache.PYTHON}" / "site-packages"


def _lay_out(folder: Path) -> None:
    program = _site() / "pytriton" / "tritonserver"
    backend = folder / "backends" / "python"
    shutil.copytree(program / "backends" / "python", backend)
    shutil.copy(program / "python_backend_stubs" / cache.PYTHON / "triton_python_backend_stub", backend)
    for name, decoupled in (("words", True), ("whole", False)):
        version = folder / "repository" / name / "1"
        version.mkdir(parents=True)
        (version / "model.py").write_text(f"DECOUPLED = {decoupled}\n" + MODEL)
        (version.parent / "config.pbtxt").write_text(CONFIG % str(decoupled).lower())


def _command(port: int, folder: Path) -> list[str]:
    _lay_out(folder)
    argv = [str(_site() / "pytriton" / "tritonserver" / "bin" / "tritonserver")]
    argv += ["--model-repository", str(folder / "repository"), "--backend-directory", str(folder / "backends")]
    for kind, number in (("http", port), ("grpc", grpc_port(port)), ("metrics", metrics_port(port))):
        argv += [f"--{kind}-address", "127.0.0.1", f"--{kind}-port", str(number)]
    return argv


def _trial(kind: str, word: str, model: str, *more: str, door: str = "http") -> Trial:
    counters = Counters(engine="Triton", requests=(Counter("nv_inference_request_success", (("model", model),)),))
    flags = ("--endpoint-type", kind, "--tokenizer", "builtin", "--isl", "32", "--osl", "8", *more)
    return Trial(kind + word, flags, model, counters=counters, door=door)


SERVER = Server(
    "triton",
    "Triton (pytriton)",
    PACKAGES,
    "nvidia-pytriton",
    _command,
    (
        _trial("generate", "", "words", "--streaming"),
        _trial("generate", ", not streamed", "whole"),
        _trial("kserve", ", not streamed", "whole"),
        _trial("kserve", ", gRPC", "words", "--streaming", door="grpc"),
        _trial("kserve", ", gRPC, not streamed", "whole", door="grpc"),
    ),
    environment={
        "LD_LIBRARY_PATH": str(_site() / "nvidia_pytriton.libs"),
        # Its backend looks for Python there.
        "PYTHONPATH": str(_site()),
        "PATH": f"{PACKAGES.folder / 'bin'}:{os.environ.get('PATH', '')}",
    },
    ready="/v2/health/ready",
    metrics_port=metrics_port,
)
SERVERS = (SERVER,)
