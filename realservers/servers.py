"""All servers. A new one is a module with its `SERVERS` and its name here."""

import dynamo_mocker
import infinity_server
import llama_cpp
import mlserver_kserve
import transformers_serve
import triton_server
import vllm_cpu

MODULES = (vllm_cpu, llama_cpp, transformers_serve, infinity_server, dynamo_mocker, triton_server, mlserver_kserve)
SERVERS = tuple(server for module in MODULES for server in module.SERVERS)
BY_NAME = {server.name: server for server in SERVERS}
