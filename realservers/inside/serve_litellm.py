"""LiteLLM's proxy in front of another server: `serve_litellm.py LITELLM PORT NAME BACKEND_PORT BACKEND...`. The backend is a
command line; it and the proxy end with this process's group."""

import json
import subprocess
import sys
from pathlib import Path

litellm, port, name, backend_port, *backend = sys.argv[1:]
parameters = {"model": f"openai/{name}", "api_key": "none", "api_base": f"http://127.0.0.1:{backend_port}/v1"}
config = {
    "model_list": [{"model_name": name, "litellm_params": parameters}],
    "litellm_settings": {"callbacks": ["prometheus"]},
}
# JSON is YAML too.
Path("litellm.yaml").write_text(json.dumps(config))
# The backend is ready long before the proxy is.
PROXY = [litellm, "--config", "litellm.yaml", "--host", "127.0.0.1", "--port", port, "--telemetry", "False"]
children = [subprocess.Popen(command) for command in (backend, PROXY)]
try:
    for child in children:
        child.wait()
except KeyboardInterrupt:
    for child in children:
        child.wait()
