"""Starts and ends the programs of a check: the simulator, an OTLP receiver, a collector, Prometheus, an MLflow server, and aiperf itself."""

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


COLLECTOR = """
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:{port}
exporters:
  otlphttp:
    endpoint: {url}
    sending_queue: {{enabled: false}}
    retry_on_failure: {{enabled: false}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    metrics: {{receivers: [otlp], exporters: [otlphttp]}}
    traces: {{receivers: [otlp], exporters: [otlphttp]}}
"""


def collector(program, folder, url):
    """An OpenTelemetry Collector that passes everything on to a receiver."""
    port = free_port()
    config = folder / "collector.yaml"
    config.write_text(COLLECTOR.format(port=port, url=url))
    started = Started([program, f"--config=file:{config}"], folder / "collector.log")
    wait_until_listening(port)
    return started, f"http://127.0.0.1:{port}"


def wait_until_listening(port, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def prometheus(folder, target):
    """Prometheus, which scrapes a page every second."""
    port = free_port()
    config = folder / "prometheus.yml"
    config.write_text(f"global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: aiperf\n  static_configs: [{{targets: ['{target}']}}]\n")
    words = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"]
    started = Started(words, folder / "prometheus.log")
    url = f"http://127.0.0.1:{port}"
    wait_until_up(f"{url}/-/ready")
    return started, url


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
