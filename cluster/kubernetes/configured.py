"""Files: templates, checks, sweeps; metrics pages that are found in the cluster."""

import json
import subprocess
from pathlib import Path

from harness import IMAGE, SERVER, expect, ids, requests, summary

CHART = Path(__file__).parents[2] / "packaging" / "helm" / "aiperf"

BENCHMARK = {
    "model": "sim",
    "tokenizer": {"name": "builtin"},
    "endpoint": {"url": SERVER, "streaming": True},
    "dataset": {"type": "synthetic", "entries": 20, "isl": 50, "osl": 20},
    "phases": {"type": "concurrency", "concurrency": 2, "requests": 20},
}


def written(check, name, kind, **spec):
    """A file; JSON is YAML, too."""
    path = check.folder / f"{name}.yaml"
    resource = {"apiVersion": "aiperf.nvidia.com/v1alpha1", "kind": kind, "metadata": {"name": name, "namespace": "bench"}, "spec": {"image": IMAGE, **spec}}
    path.write_text(json.dumps(resource))
    return path


def checks_files(check):
    templates = [line.split()[0] for line in check.kube("init", "--list").splitlines() if line.startswith("  ")]
    made = [check.folder / f"made-{name}.yaml" for name in templates]
    for name, path in zip(templates, made):
        check.kube("init", "--template", name, "--model", "sim", "--url", SERVER, "--output", path)
    answer = json.loads(check.kube("validate", *made, "--output", "json", code=None))
    wrong = [one["error"] for one in answer["files"] if not one["valid"]]
    without_data = [error for error in wrong if "no such file or folder" in error]
    expect(len(made) > 10 and wrong == without_data, f"`init` writes {len(made)} templates; `validate` finds {len(made) - len(wrong)} valid and misses the data files of {len(wrong)}")
    shown = check.kube("show", "-f", made[0])
    expect("kind: AIPerfJob" in shown, "`show -f` prints a file")
    broken = check.folder / "broken.yaml"
    broken.write_text(made[0].read_text().replace("requests:", "request:"))
    expect("broken.yaml:" in check.command("validate", broken, code=1)[1], "`validate` names the place of a mistake")


def runs_a_file(check, workload):
    path = written(check, f"file-{workload}", "AIPerfJob", benchmark=BENCHMARK, ttlSecondsAfterFinished=60, podTemplate={"labels": {"team": "perf"}})
    out = check.folder / f"file-{workload}-out"
    check.kube("profile", "-f", path, "--workload", workload, "--artifact-dir", out)
    shown = check.kube("show", f"file-{workload}")
    expect(requests(out) == 20 and "requests: 20" in shown, f"{workload}: `profile -f` runs an AIPerfJob, and `show RUN` prints its configuration")
    labels = [pod["metadata"]["labels"].get("team") for pod in check.pods(f"file-{workload}")]
    expect(labels == ["perf"], f"{workload}: settings of the file reach the pods")
    check.clean()


def sweeps(check, workload):
    name = f"swept-{workload}"
    path = written(check, name, "AIPerfSweep", benchmark=BENCHMARK, sweep={"type": "grid", "parameters": {"concurrency": [1, 2]}})
    out = check.folder / f"{name}-out"
    check.kube("sweep", "-f", path, "--workload", workload, "--trials", "2", "--cooldown", "0.5", "--artifact-dir", out)
    runs = sorted(str(one.parent.relative_to(out)) for one in out.rglob("profile_export_aiperf.json"))
    counts = {requests(out / run) for run in runs}
    aggregates = sorted(str(one.relative_to(out)) for one in out.rglob("*aggregate*.json"))
    expect(len(runs) == 4 and counts == {20} and aggregates, f"{workload}: `sweep` of 2 points with 2 trials: {len(runs)} runs of 20 requests, {len(aggregates)} aggregates")
    check.clean()


def finds_metrics_pages(check, workload):
    """One page by its annotations, one by its label; a third says that it does not want to be read."""
    marks = {
        "by-annotation": {"labels": {"app": "found"}, "annotations": {"prometheus.io/port": "18001"}},
        "by-label": {"labels": {"app": "found", "nvidia.com/metrics-enabled": "true"}},
        "left-out": {"labels": {"app": "found"}, "annotations": {"prometheus.io/port": "18001", "prometheus.io/scrape": "false"}},
        "elsewhere": {"labels": {"app": "other"}, "annotations": {"prometheus.io/port": "18001"}},
    }
    place = "/api/v1/namespaces/bench/pods"
    for name, metadata in marks.items():
        container = {"name": "server", "image": IMAGE, "args": ["sim", "--host", "0.0.0.0", "--port", "18001"], "ports": [{"containerPort": 18001}]}
        spec = {"nodeName": "test-node", "securityContext": {}, "containers": [container]}
        check.api.post(place, {"metadata": {"name": name, **metadata}, "spec": spec})
    address = lambda name: check.api.get(f"{place}/{name}").get("status", {}).get("podIP")
    wanted = sorted(check.wait("a server", lambda name=name: address(name)) for name in ["by-annotation", "by-label"])
    [check.wait("a server", lambda name=name: address(name)) for name in marks]
    discovery = {"mode": "kubernetes", "labelSelector": "app=found"}
    path = written(check, f"metrics-{workload}", "AIPerfJob", benchmark={**BENCHMARK, "serverMetrics": {"discovery": discovery}})
    out = check.folder / f"metrics-{workload}-out"
    note = check.command("profile", "-f", path, "--workload", workload, "--artifact-dir", out)[1]
    expect("2 metrics page(s) found" in note, f"{workload}: two metrics pages are found by label and annotation, two pods are left out")
    pages = json.loads((out / "server_metrics_export.json").read_text())["summary"]["endpoints_successful"]
    found = sorted(page.split("//")[1].split(":")[0] for page in pages if ":18001" in page)
    expect(found == wanted and summary(out)["was_cancelled"] is False, f"{workload}: both pages are in the results")
    for name in marks:
        check.api.delete(f"{place}/{name}")
    check.clean()


def runs_the_chart(check, nodes, with_nats):
    name = f"chart-{nodes}" + ("-nats" if with_nats else "")
    values = check.folder / f"{name}.json"
    config = json.dumps({"schemaVersion": "2.0", "randomSeed": 7, "benchmark": {**BENCHMARK, "phases": {"type": "concurrency", "concurrency": 4, "requests": 40}}})
    values.write_text(json.dumps({"image": IMAGE, "nodes": nodes, "nats": {"enabled": with_nats}, "config": config}))
    made = subprocess.run([check.programs / "chart", CHART, name, values], capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(f"FAIL {name}: {made.stderr}")
    check.kubectl("apply", "--server-side", "--dry-run=server", "-n", "bench", "-f", "-", stdin=made.stdout)
    check.kubectl("create", "-n", "bench", "-f", "-", stdin=made.stdout)
    check.wait("the run", lambda: name in check.kube("list"))
    check.kube("attach", name)
    out = check.folder / f"{name}-out"
    check.kube("results", name, "--output", out, "--shutdown")
    results = out / "merged" if nodes > 1 and not with_nats else out
    expect(requests(results) == len(set(ids(results))) == 40, f"{name}: the objects of the Helm chart are accepted; 40 requests, each once")
    check.clean()
