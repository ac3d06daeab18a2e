"""Starts and ends the programs of a check: the simulator, an OTLP receiver, an MLflow server, and aiperf itself."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

LOAD = ["--model", "m", "--tokenizer", "builtin", "--streaming", "--isl", "32", "--osl", "16", "--concurrency", "4"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Started:
    """A program that runs until the end of the `with` block."""

    def __init__(self, words, log, **settings):
        self.log = open(log, "w")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, start_new_session=True, **settings)

    def kill(self):
        """As `kill -9` does, with all that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.log.close()


def wait_until_up(url, seconds=180):
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def simulator(program, folder):
    port = free_port()
    started = Started([program, "sim", "--port", str(port), "--ttft", "20", "--itl", "5"], folder / "sim.log")
    url = f"http://127.0.0.1:{port}"
    wait_until_up(f"{url}/metrics")
    return started, url


def receiver(folder, port=None):
    """An OTLP/HTTP receiver that writes what it gets to a file of JSON lines."""
    port = port or free_port()
    out = folder / "otlp.jsonl"
    words = [sys.executable, str(Path(__file__).with_name("otlp_receiver.py")), str(port), str(out)]
    started = Started(words, folder / "receiver.log")
    wait_until_up(f"http://127.0.0.1:{port}/")
    return started, f"http://127.0.0.1:{port}", out


def mlflow_server(folder):
    port = free_port()
    words = [str(Path(sys.executable).with_name("mlflow")), "server", "--host", "127.0.0.1", "--port", str(port)]
    words += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", f"{folder}/files"]
    started = Started([*words, "--workers", "1"], folder / "mlflow.log", cwd=folder)
    url = f"http://127.0.0.1:{port}"
    wait_until_up(f"{url}/health")
    return started, url


def profile(program, url, out, *words, environment=None):
    """Runs aiperf; returns the process without waiting for it."""
    command = [program, "profile", "--url", url, *LOAD, "--artifact-dir", str(out), "--ui", "none", *words]
    variables = {**os.environ, **(environment or {})}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=variables)


def finish(process):
    output, _ = process.communicate(timeout=300)
    if process.returncode != 0:
        raise AssertionError(f"aiperf ended with {process.returncode}:\n{output}")
    return output
