"""MLServer: the KServe protocol in pure Python, with the generate extension."""

import json
from pathlib import Path

import cache
from counters import Counter, Counters
from server import Server, grpc_port, metrics_port
from trial import Trial

BODY = """\
{"inputs": [{"name": "text_input", "shape": [1], "datatype": "BYTES", "data": [{{ text|tojson }}]}]}
"""
PACKAGES = cache.Packages("mlserver", ("mlserver==1.7.1",))
MODEL = '''\
from mlserver import MLModel
from mlserver.codecs import StringCodec
from mlserver.types import InferenceResponse


class Words(MLModel):
    """Says the words of its prompt again."""

    async def load(self):
        return True

    def _words(self, payload):
        text = StringCodec.decode_input(payload.inputs[0])[0]
        return [" " + word for word in text.split()]

    def _response(self, text):
        output = StringCodec.encode_output("text_output", [text], use_bytes=False)
        return InferenceResponse(model_name=self.name, outputs=[output])

    async def predict(self, payload):
        return self._response("".join(self._words(payload)))

    async def predict_stream(self, payloads):
        async for payload in payloads:
            for word in self._words(payload):
                yield self._response(word)
'''


def _command(port: int, folder: Path) -> list[str]:
    model = folder / "models" / "words"
    model.mkdir(parents=True)
    ports = {"http_port": port, "grpc_port": grpc_port(port), "metrics_port": metrics_port(port)}
    # Streams need one process and no compression.
    settings = {"host": "127.0.0.1", **ports, "parallel_workers": 0, "gzip_enabled": False}
    (folder / "models" / "settings.json").write_text(json.dumps(settings))
    (model / "model-settings.json").write_text(json.dumps({"name": "words", "implementation": "model.Words"}))
    (model / "model.py").write_text(MODEL)
    return [PACKAGES.program("mlserver"), "start", str(folder / "models")]


def _template(name: str, method: str, *more: str) -> Trial:
    """Its generate methods take the body of an inference request."""
    handler = (("path", f"/v2/models/{{model_name}}/{method}"),)
    counters = Counters(requests=(Counter("rest_server_requests_total", handler),))
    flags = ("--endpoint-type", "template", "--endpoint", f"/v2/models/words/{method}", "--tokenizer", "builtin")
    flags += ("--isl", "32", "--extra-inputs", "payload_template:body.j2")
    flags += ("--extra-inputs", json.dumps({"response_field": "outputs[0].data[0]"}), *more)
    return Trial(name, flags, "words", counters=counters, files=(("body.j2", BODY),))


def _kserve(name: str, *more: str, door: str = "http") -> Trial:
    counters = Counters(requests=(Counter("model_infer_request_success_total", (("model", "words"),)),))
    flags = ("--endpoint-type", "kserve", "--tokenizer", "builtin", "--isl", "32", *more)
    return Trial(name, flags, "words", counters=counters, door=door)


SERVER = Server(
    "mlserver",
    "MLServer",
    PACKAGES,
    "mlserver",
    _command,
    (
        _template("template", "generate_stream", "--streaming"),
        _template("template, not streamed", "generate"),
        _kserve("kserve", "--streaming"),
        _kserve("kserve, not streamed"),
        _kserve("kserve, gRPC", "--streaming", door="grpc"),
        _kserve("kserve, gRPC, not streamed", door="grpc"),
    ),
    ready="/v2/health/ready",
    metrics_port=metrics_port,
)
SERVERS = (SERVER,)
