"""All servers. A new one is a module with its `SERVERS` and its name here."""

import dynamo
import infinity
import llama_cpp
import mlserver
import transformers_serve
import triton
import vllm_cpu

MODULES = (vllm_cpu, llama_cpp, transformers_serve, infinity, dynamo, triton, mlserver)
SERVERS = tuple(server for module in MODULES for server in module.SERVERS)
BY_NAME = {server.name: server for server in SERVERS}
