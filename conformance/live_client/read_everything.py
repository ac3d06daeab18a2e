#!/usr/bin/env python3
"""Uses every REST route and every WebSocket topic that AIPerf 0.13 has for people, and only fields that AIPerf has.

    read_everything.py http://127.0.0.1:8090

Start it while a streaming run with a warm-up and with `--api-port` goes on, of AIPerf or of aiperf; it reads until the run's last
message. It needs nothing but Python's own library. `--token TOKEN` sends a bearer token.
"""

import argparse
import base64
import json
import os
import socket
import struct
import sys
import time
import urllib.error
import urllib.request

TOPICS = [
    "realtime_metrics", "realtime_server_metrics", "credit_phase_start", "credit_phase_progress", "credit_phase_sending_complete",
    "credit_phase_complete", "processing_stats", "all_records_received", "worker_health", "worker_status_summary",
]  # fmt: skip
STATISTICS = ["avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std", "count", "sum"]


class WebSocket:
    """As much of the protocol as a client of text messages needs."""

    def __init__(self, host: str, port: int, token: str | None):
        self.stream = socket.create_connection((host, port), timeout=60)
        self.rest = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /ws HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Authorization: Bearer {token}"] if token else []
        self.stream.sendall("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self.rest:
            self.rest += self._some()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def _some(self) -> bytes:
        part = self.stream.recv(1 << 16)
        if not part:
            raise EOFError
        return part

    def _take(self, length: int) -> bytes:
        while len(self.rest) < length:
            self.rest += self._some()
        taken, self.rest = self.rest[:length], self.rest[length:]
        return taken

    def send(self, message: dict):
        data, mask = json.dumps(message).encode(), os.urandom(4)
        length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.stream.sendall(b"\x81" + length + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))

    def receive(self) -> dict | None:
        """The next message; None at the end."""
        text = b""
        while True:
            try:
                first, second = self._take(2)
                length = second & 0x7F
                if length >= 126:
                    length = struct.unpack(">H" if length == 126 else ">Q", self._take(2 if length == 126 else 8))[0]
                data = self._take(length)
            except (EOFError, ConnectionError):
                return None
            if first & 0x0F == 8:
                return None
            if first & 0x0F in (0, 1):
                text += data
                if first & 0x80:
                    return json.loads(text)


class Api:
    def __init__(self, base: str, token: str | None):
        self.base, self.token = base.rstrip("/"), token

    def text(self, path: str, method: str = "GET") -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        request = urllib.request.Request(self.base + path, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def json(self, path: str):
        status, text = self.text(path)
        assert status == 200, (path, status, text)
        return json.loads(text)


def read_rest(api: Api):
    for path in ("/healthz", "/readyz"):
        assert api.text(path) == (200, "ok"), path
    for path in ("/", "/dashboard", "/dashboard-v2"):
        status, page = api.text(path)
        assert status == 200 and page.lstrip().lower().startswith("<!doctype html"), path
    progress = api.json("/api/progress")
    assert isinstance(progress["results_exported"], bool) and progress["system_state"]
    assert {"ready", "total", "dispatchable"} <= progress["workers"].keys()
    for name, phase in progress["phases"].items():
        assert phase["phase_name"] == name and phase["phase_kind"] in ("warmup", "profiling")
        assert phase["requests_completed"] <= phase["requests_sent"], phase
        for field in ("start_ns", "success_records", "error_records", "sent_sessions", "last_update_ns", "was_cancelled"):
            assert phase[field] is not None, field
        assert {"requests_per_second", "records_per_second", "requests_eta_sec", "records_eta_sec"} <= phase.keys()
    workers = api.json("/api/workers")
    for worker in workers["workers"].values():
        assert worker["task_stats"]["total"] >= worker["task_stats"]["completed"]
        assert worker["health"]["pid"] > 0 and len(worker["health"]["io_counters"]) == 6 and worker["status"]
    assert workers["worker_groups"]["local"]["declared_workers"] >= 1
    config = api.json("/api/config")
    assert config["models"]["items"][0]["name"] and config["endpoint"]["urls"] and config["phases"][-1]["name"] == "profiling"
    assert config["runtime"]["apiPort"] is not None and "gpuTelemetry" in config and "serverMetrics" in config
    assert "endpoint_summaries" in api.json("/api/server-metrics")
    assert api.json("/api/results")["status"] in ("running", "complete")
    files = api.json("/api/results/list")
    assert isinstance(files["files"], list) and {"ready", "processing", "partial", "failed_exporters"} <= files.keys()
    for path, status in (("/api/results/files/none.json", 404), ("/api/nothing", 404)):
        answer = api.text(path)
        assert answer[0] == status and "detail" in json.loads(answer[1]), path
    assert api.text("/api/progress", "POST")[0] == 405
    assert api.text("/api/shutdown", "POST")[0] == 409, "a run that goes on is not shut down"


def read_metrics(api: Api) -> bool:
    """False while there is no metric yet."""
    metrics = api.json("/api/metrics")
    assert metrics["model"] and metrics["endpoint_type"] and metrics["streaming"] is True and metrics["benchmark_id"]
    if "time_to_first_token" not in metrics["metrics"]:
        return False
    for tag in ("time_to_first_token", "inter_token_latency", "request_latency", "output_sequence_length"):
        row = metrics["metrics"][tag]
        missing = [name for name in [*STATISTICS, "unit", "header"] if name not in row]
        assert not missing, (tag, missing)
        assert row["min"] <= row["p50"] <= row["max"], row
    for tag in ("request_count", "request_throughput", "output_token_throughput", "request_error_rate"):
        assert isinstance(metrics["metrics"][tag]["avg"], (int, float)), tag
    status, text = api.text("/metrics")
    assert status == 200 and text.startswith("# HELP aiperf_info")
    for name in ('aiperf_time_to_first_token_ms{', "aiperf_time_to_first_token_ms_sum{", "aiperf_request_latency_avg_ms{", "aiperf_request_throughput_avg_requests_per_sec{"):
        assert any(line.startswith(name) and f'model="{metrics["model"]}"' in line for line in text.splitlines()), name
    return True


def read_message(message: dict):
    kind = message["message_type"]
    assert message["service_id"]
    if kind == "realtime_metrics":
        assert all({"tag", "unit", "header", "avg"} <= row.keys() for row in message["metrics"] if not row["tag"].startswith("adj_"))
    elif kind == "realtime_server_metrics":
        for summary in message["endpoint_summaries"].values():
            assert all(series["stats"] for metric in summary["metrics"].values() for series in metric["series"])
    elif kind.startswith("credit_phase_"):
        stats = message["stats"]
        assert stats["phase"] in ("warmup", "profiling") and stats["start_ns"] > 0 and stats["requests_sent"] >= stats["requests_completed"]
        if kind == "credit_phase_start":
            assert message["config"]["phase_name"] == stats["phase_name"]
        if kind == "credit_phase_complete":
            assert stats["final_requests_completed"] + stats["final_requests_cancelled"] == stats["final_requests_sent"], stats
    elif kind == "processing_stats":
        assert {"success_records", "error_records"} <= message["processing_stats"].keys()
    elif kind == "all_records_received":
        assert message["final_processing_stats"]["records_end_ns"] > 0
    elif kind == "worker_health":
        assert message["health"]["num_threads"] >= 1 and "completed" in message["task_stats"]
    elif kind == "worker_status_summary":
        assert isinstance(message["worker_statuses"], dict)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--token")
    asked = parser.parse_args()
    api = Api(asked.url, asked.token)
    end = time.monotonic() + 120
    while True:
        try:
            if api.text("/healthz")[0] == 200:
                break
        except OSError:
            assert time.monotonic() < end, "nobody answers"
            time.sleep(0.1)
    host, port = asked.url.split("://")[1].strip("/").rsplit(":", 1)
    feed = WebSocket(host, int(port), asked.token)
    feed.send({"type": "ping"})
    assert feed.receive() == {"type": "pong"}
    feed.send({"type": "subscribe", "message_types": TOPICS})
    assert feed.receive() == {"type": "subscribed", "message_types": TOPICS}
    feed.send({"type": "subscribe", "message_types": "everything"})
    heard: dict[str, int] = {}
    has_metrics = has_rest = False
    while (message := feed.receive()) is not None:
        kind = message.get("message_type")
        if kind is None:
            assert message["type"] == "error", message
            continue
        heard[kind] = heard.get(kind, 0) + 1
        read_message(message)
        if kind == "credit_phase_progress" and message["stats"]["phase"] == "profiling" and not has_rest:
            read_rest(api)
            has_rest = True
        if kind == "realtime_metrics" and not has_metrics:
            has_metrics = read_metrics(api)
        if kind == "all_records_received":
            break
    missing = [topic for topic in TOPICS if topic not in heard]
    assert not missing and has_metrics and has_rest, (missing, has_metrics, has_rest)
    print(json.dumps(heard, sort_keys=True))


if __name__ == "__main__":
    sys.exit(main())
