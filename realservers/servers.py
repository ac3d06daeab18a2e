"""All servers. A new one is a module with its `SERVERS` and its name here."""

import dynamo_mocker
import infinity_server
import litellm_proxy
import llama_cpp
import mistral_rs
import mlserver_kserve
import sglang_cpu
import transformers_serve
import triton_server
import vllm_cpu

MODULES = (
    vllm_cpu,
    sglang_cpu,
    llama_cpp,
    mistral_rs,
    transformers_serve,
    infinity_server,
    dynamo_mocker,
    litellm_proxy,
    triton_server,
    mlserver_kserve,
)
SERVERS = tuple(server for module in MODULES for server in module.SERVERS)
BY_NAME = {server.name: server for server in SERVERS}
