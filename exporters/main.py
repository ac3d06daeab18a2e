"""Runs aiperf with each exporter against the real programs and compares what arrived with the files of the run."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import wandb_file
from programs import Started, collector, finish, free_port, mlflow_server, profile, prometheus, receiver, simulator, wait_until_up


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def near(one, other):
    return abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))


def summary_of(out):
    return json.loads((out / "profile_export_aiperf.json").read_text())


def attributes(point):
    return {item["key"]: next(iter(item["value"].values())) for item in point.get("attributes", [])}


def posts(path, kind):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line["message"] for line in lines if line["path"] == kind]


def metrics_of(message):
    scopes = message["resourceMetrics"][0]["scopeMetrics"]
    return {metric["name"]: metric for scope in scopes for metric in scope["metrics"]}


def open_telemetry(program, url, folder):
    """Metrics, timing and spans, decoded with the official messages."""
    out = folder / "run"
    with (started := receiver(folder))[0]:
        return sent_run(program, url, out, started[1], started[2])


def open_telemetry_collector(program, url, folder):
    """The same, but a real collector takes everything and passes it on."""
    out = folder / "run"
    with (started := receiver(folder))[0], (passing := collector(OTELCOL, folder, started[1]))[0]:
        version = subprocess.run([OTELCOL, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
        return f"{sent_run(program, url, out, passing[1], started[2])}, through collector {version}"


def sent_run(program, url, out, otel_url, received):
    """Sends a run and compares what was received with its files."""
    finish(profile(program, url, out, "--otel-url", otel_url, "--stream", "default,traces", "--request-count", "40"))
    metrics = metrics_of(posts(received, "/v1/metrics")[-1])
    traces = posts(received, "/v1/traces")
    summary = summary_of(out)
    point = metrics["gen_ai.client.operation.duration"]["histogram"]["dataPoints"][0]
    check(int(point["count"]) == 40, point)
    check(near(point["sum"], summary["request_latency"]["sum"] / 1e3), "the sum of the latencies differs")
    check(sum(map(int, point["bucketCounts"])) == 40, point)
    check(len(point["explicitBounds"]) + 1 == len(point["bucketCounts"]), point)
    spans = [span for message in traces for part in message["resourceSpans"] for of in part["scopeSpans"] for span in of["spans"]]
    ids = {json.loads(line)["metadata"]["x_request_id"] for line in (out / "profile_export.jsonl").read_text().splitlines()}
    check({attributes(span)["aiperf.request.id"] for span in spans} == ids, "spans and records differ")
    check(summary["otel"]["complete"], summary["otel"])
    return f"{len(metrics)} instruments, {len(spans)} spans, {summary['otel']['posts']} posts"


def killed_collector(program, url, folder):
    """kill -9 of the collector in the middle of a run: the run goes on, and what is missing is counted."""
    out = folder / "run"
    with (started := receiver(folder))[0], (passing := collector(OTELCOL, folder, started[1]))[0]:
        options = ["--otel-url", passing[1], "--stream", "default,traces", "--benchmark-duration", "8"]
        process = profile(program, url, out, *options, environment={"AIPERF_OTEL_FLUSH_INTERVAL_SECONDS": "0.5"})
        while not started[2].exists() or "/v1/traces" not in started[2].read_text():
            check(process.poll() is None, "the run ended before its first spans were posted")
            time.sleep(0.05)
        passing[0].kill()
        output = finish(process)
    otel = summary_of(out)["otel"]
    check(not otel["complete"] and otel["end_is_missing"] and otel["failed_posts"] > 0, otel)
    check(otel["sent_spans"] + otel["dropped_spans"] == sum(1 for _ in (out / "profile_export.jsonl").open()), otel)
    check("does not have everything" in output, output)
    return f"{otel['failed_posts']} posts failed, {otel['sent_spans']} spans sent, {otel['dropped_spans']} counted as dropped"


def mlflow(program, url, folder):
    """A real MLflow server."""
    out = folder / "run"
    with (started := mlflow_server(folder))[0]:
        options = ["--mlflow-tracking-uri", started[1], "--mlflow-experiment", "check", "--mlflow-tag", "a:b,c:true"]
        finish(profile(program, url, out, *options, "--benchmark-duration", "6"))
        export = json.loads((out / "mlflow_export.json").read_text())
        get = lambda call: json.loads(urllib.request.urlopen(f"{started[1]}/api/2.0/mlflow/{call}").read())
        run = get(f"runs/get?run_id={export['run_id']}")["run"]
        files = get(f"artifacts/list?run_id={export['run_id']}&path=exports")["files"]
        history = get(f"metrics/get-history?run_id={export['run_id']}&metric_key=live.requests_per_second")["metrics"]
    summary, data = summary_of(out), run["data"]
    metrics = {metric["key"]: metric["value"] for metric in data["metrics"]}
    for key in export["metric_keys"]:
        tag, _, statistic = key.partition(".")
        check(near(metrics[key], summary[tag][statistic or "avg"]), key)
    params = {param["key"]: param["value"] for param in data["params"]}
    tags = {tag["key"]: tag["value"] for tag in data["tags"]}
    check(params["loadgen.concurrency"] == "4" and set(export["param_keys"]) == set(params), "parameters differ")
    check((tags["a"], tags["c"], tags["benchmark_id"]) == ("b", "true", summary["benchmark_id"]), tags)
    check(run["info"]["status"] == "FINISHED", run["info"])
    sizes = {file["path"].removeprefix("exports/"): int(file["file_size"]) for file in files}
    check(sizes["profile_export_aiperf.json"] == (out / "profile_export_aiperf.json").stat().st_size, sizes)
    check(len(history) >= 1 and export["reused_live_run"], "no live metrics")
    return f"{len(export['metric_keys'])} metrics, {len(params)} parameters, {len(sizes)} files, {len(history)} live rows"


def killed_mlflow(program, url, folder):
    """kill -9 of the MLflow server in the middle of a run: the run goes on, and the message says what is missing."""
    out = folder / "run"
    with (started := mlflow_server(folder))[0]:
        process = profile(program, url, out, "--mlflow-tracking-uri", started[1], "--benchmark-duration", "8")
        while not (out / "mlflow_export.json").exists():
            check(process.poll() is None, "the run ended before it was in MLflow")
            time.sleep(0.05)
        started[0].kill()
        output = finish(process)
    check("not stored completely in MLflow" in output, output)
    check(summary_of(out)["request_count"]["avg"] > 0, "no results")
    return "the run ended with its files and a message"


def plots_in_mlflow(program, url, folder):
    """Pictures that are drawn after the run go to the same MLflow run."""
    out = folder / "run"
    with (started := mlflow_server(folder))[0]:
        finish(profile(program, url, out, "--mlflow-tracking-uri", started[1], "--request-count", "20"))
        ended = subprocess.run([program, "plot", str(out), "--mlflow-upload"], capture_output=True, text=True)
        check(ended.returncode == 0, ended.stdout + ended.stderr)
        export = json.loads((out / "mlflow_export.json").read_text())
        answer = urllib.request.urlopen(f"{started[1]}/api/2.0/mlflow/artifacts/list?run_id={export['run_id']}&path=plots").read()
    sizes = {file["path"]: int(file["file_size"]) for file in json.loads(answer)["files"]}
    drawn = {f"plots/{file.name}": file.stat().st_size for file in (out / "plots").iterdir() if file.suffix in (".png", ".svg")}
    check(drawn and sizes == drawn, f"{sizes} {drawn}")
    return f"{len(sizes)} pictures"


def scraped(program, url, folder):
    """Prometheus scrapes the page of a run."""
    out = folder / "run"
    port = free_port()
    process = profile(program, url, out, "--api-port", str(port), "--benchmark-duration", "8")
    wait_until_up(f"http://127.0.0.1:{port}/metrics")
    with (started := prometheus(folder, f"127.0.0.1:{port}"))[0]:
        finish(process)
        ask = lambda query: json.loads(urllib.request.urlopen(f"{started[1]}/api/v1/query?query={query}").read())["data"]["result"]
        names = {tuple(sorted(row["metric"].items())) for row in ask('last_over_time(%7Bjob="aiperf"%7D[1m])')}
        last = float(ask("last_over_time(aiperf_time_to_first_token_avg_ms[1m])")[0]["value"][1])
    average = summary_of(out)["time_to_first_token"]["avg"]
    check(abs(last - average) / average < 0.2, f"the last scrape has {last} ms, the file {average} ms")
    version = subprocess.run(["prometheus", "--version"], capture_output=True, text=True).stdout.split()[2]
    return f"{len(names)} series by Prometheus {version}"


def mlflow_folder(program, url, folder):
    """A folder, read by the real client's file store."""
    out, store = folder / "run", folder / "store"
    finish(profile(program, url, out, "--mlflow-tracking-uri", f"file:{store}", "--request-count", "8"))
    export = json.loads((out / "mlflow_export.json").read_text())
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    from mlflow.store.tracking.file_store import FileStore

    read = FileStore(str(store))
    run = read.get_run(export["run_id"])
    check(near(run.data.metrics["request_latency"], summary_of(out)["request_latency"]["avg"]), "the metric differs")
    check(run.data.params["endpoint.type"] == "chat" and run.info.status == "FINISHED", run.info)
    check(read.get_experiment(run.info.experiment_id).name == "aiperf", "the experiment differs")
    return f"{len(run.data.metrics)} metrics, {len(run.data.params)} parameters"


def wandb(program, url, folder):
    """An offline run: its records by the client's own messages, then `wandb sync` against a server that keeps what it is sent."""
    out = folder / "run"
    options = ["--wandb-project", "proj", "--wandb-entity", "team", "--wandb-tag", "t1,t2", "--benchmark-duration", "4"]
    output = finish(profile(program, url, out, *options))
    (run,) = (out / "wandb").glob("offline-run-*")
    check(f"wandb sync {run}" in output, output)
    (file,) = run.glob("run-*.wandb")
    found = list(wandb_file.records(file))
    kinds = [next(kind for kind in record if kind not in ("num", "_info", "control")) for record in found]
    check(kinds[:3] == ["header", "run", "files"] and kinds[-2:] == ["summary", "exit"], kinds)
    summary = summary_of(out)
    values = wandb_file.items(found[-2], "summary", "update")
    check(near(values["request_latency"], summary["request_latency"]["avg"]), "the metric differs")
    check(found[1]["run"]["tags"][2:] == ["t1", "t2"], found[1])
    for listed in found[2]["files"]["files"]:
        check((run / "files" / listed["path"]).is_file(), listed)
    return f"{len(found)} records, {len(values)} summary values, {kinds.count('history')} rows; {sync(run, folder)}"


def sync(run, folder):
    """What the real client sends of a run."""
    port, log = free_port(), folder / "wandb.jsonl"
    words = [sys.executable, str(Path(__file__).with_name("fake_wandb.py")), str(port), str(log)]
    with Started(words, folder / "fake.log"):
        wait_until_up(f"http://127.0.0.1:{port}/")
        variables = {**os.environ, "WANDB_BASE_URL": f"http://127.0.0.1:{port}", "WANDB_API_KEY": "0" * 40, "HOME": str(folder)}
        client = str(Path(sys.executable).with_name("wandb"))
        ended = subprocess.run([client, "sync", str(run)], env=variables, capture_output=True, text=True, timeout=240, cwd=folder)
    sent = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    check(ended.returncode == 0, ended.stdout + ended.stderr)
    upserts = [entry["body"] for entry in sent if entry["kind"] == "graphql" and "upsertBucket" in entry["body"]]
    check(any('"proj"' in body and "t1" in body for body in upserts), ended.stdout + ended.stderr)
    stream = "".join(entry["body"] for entry in sent if entry["kind"] == "stream")
    check("request_latency" in stream and "wandb-history.jsonl" in stream, stream[:2000])
    uploads = [entry["path"] for entry in sent if entry["kind"] == "put"]
    check(any(path.endswith("profile_export_aiperf.json") for path in uploads), uploads)
    return f"`wandb sync` sent configuration, history, summary and {len(uploads)} files"


OTELCOL = sys.argv[2] if len(sys.argv) > 2 else "otelcol"
CHECKS = [open_telemetry, open_telemetry_collector, killed_collector, scraped, mlflow, killed_mlflow, plots_in_mlflow, mlflow_folder, wandb]


def main():
    program = str(Path(sys.argv[1]).resolve())
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        server, url = simulator(program, Path(scratch))
        with server:
            for run_check in CHECKS:
                folder = Path(scratch) / run_check.__name__
                folder.mkdir()
                try:
                    print(f"{run_check.__name__}: ok: {run_check(program, url, folder)}", flush=True)
                except Exception as error:
                    failed += 1
                    print(f"{run_check.__name__}: FAILED: {type(error).__name__}: {str(error)[:3000]}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
