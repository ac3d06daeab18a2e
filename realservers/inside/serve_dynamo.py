"""Dynamo's frontend and a simulated engine behind it: `serve_dynamo.py MODEL_FOLDER NAME PORT`. Runs in the environment that has
ai-dynamo; both end with this process's group."""

import subprocess
import sys

folder, name, port = sys.argv[1:]
PLANES = ["--discovery-backend", "file", "--request-plane", "tcp", "--event-plane", "zmq"]
FRONTEND = ["--http-host", "127.0.0.1", "--http-port", port, "--enable-anthropic-api"]
MOCKER = ["--model-path", folder, "--model-name", name, "--speedup-ratio", "1"]
children = [
    subprocess.Popen([sys.executable, "-m", module, *options, *PLANES])
    for module, options in (("dynamo.frontend", FRONTEND), ("dynamo.mocker", MOCKER))
]
try:
    for child in children:
        child.wait()
except KeyboardInterrupt:
    for child in children:
        child.wait()
