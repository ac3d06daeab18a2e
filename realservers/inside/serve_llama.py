"""llama.cpp's server inside a Python process: `serve_llama.py MODEL.gguf PORT ALIAS chat|embed|rerank`. Runs in the environment
that has xllamacpp."""

import signal
import sys

import xllamacpp

model, port, alias, task = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {alias}
params.port = int(port)
params.endpoint_metrics = True
if task == "chat":
    # Slots share the context.
    params.n_parallel = 4
    params.n_ctx = 32768
else:
    params.n_ctx = params.n_batch = params.n_ubatch = 2048
    params.embedding = True
if task == "rerank":
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
server = xllamacpp.Server(params)
signal.pause()
