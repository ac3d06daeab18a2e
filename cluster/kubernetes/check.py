"""Drives `aiperf kube` against a real API server, with a controller that runs pods as local processes. Prints one line for each thing that
is checked, and fails at the first that does not hold.

    check.py AIPERF PROGRAMS FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from api_server import ApiServer
from controller import HOST, Controller

HERE = Path(__file__).parent
IMAGE = "registry.example/aiperf:test"
RUN = ["--model", "sim", "--tokenizer", "builtin", "--url", f"http://{HOST}:18000", "--streaming", "--osl", "20", "--isl", "50", "--random-seed", "7"]


class Check:
    def __init__(self, aiperf, programs, folder):
        self.aiperf, self.folder = str(aiperf), folder
        nats = shutil.which("nats-server")
        self.has_nats = nats is not None
        self.api = ApiServer(programs, folder / "server", HOST)
        self.controller = None
        self.kubeconfig = self.api.kubeconfig(folder / "kubeconfig", namespace="bench")
        self.api.post("/api/v1/namespaces", {"metadata": {"name": "bench"}})
        self.programs = {"aiperf": self.aiperf, "nats": nats} if nats else {"aiperf": self.aiperf}
        self.sim = None

    def start(self):
        self.controller = Controller(self.api, self.folder / "pods", self.programs)
        log = open(self.folder / "sim.log", "w")
        self.sim = subprocess.Popen([self.aiperf, "sim", "--host", HOST, "--port", "18000", "--ttft", "20", "--itl", "2"], stdout=log, stderr=log)

    def stop(self):
        if self.sim:
            self.sim.terminate()
            self.sim.wait()
        if self.controller:
            self.controller.stop()
        self.api.stop()

    def kube(self, *words, code=0, within=300, stdin=None):
        command = [self.aiperf, "kube", *words]
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=within, env=environment, cwd=self.folder, input=stdin)
        if done.returncode != code:
            raise SystemExit(f"FAIL {' '.join(command)}: exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def kubectl(self, *words, stdin=None):
        done = subprocess.run(["kubectl", "--kubeconfig", self.kubeconfig, *words], capture_output=True, text=True, input=stdin)
        if done.returncode != 0:
            raise SystemExit(f"FAIL kubectl {' '.join(words)}:\n{done.stdout}\n{done.stderr}\n{stdin}")
        return done.stdout

    def objects(self):
        """What runs have left in the namespace."""
        label = "labelSelector=app.kubernetes.io/managed-by=aiperf"
        places = ["/apis/batch/v1/namespaces/bench/jobs", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/bench/jobsets", "/apis/apps/v1/namespaces/bench/deployments"]
        places += [f"/api/v1/namespaces/bench/{kind}" for kind in ["pods", "configmaps", "secrets", "services"]]
        return [f"{place.rsplit('/', 1)[1]}/{one['metadata']['name']}" for place in places for one in self.api.items(f"{place}?{label}")]

    def wait(self, what, condition, within=120):
        end = time.time() + within
        while time.time() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.5)
        raise SystemExit(f"FAIL {what}: not within {within} s; objects: {self.objects()}")


def say(sentence):
    print(f"ok   {sentence}", flush=True)


def expect(condition, sentence):
    if not condition:
        raise SystemExit(f"FAIL {sentence}")
    say(sentence)


def accepts(check, with_job_set):
    """The server takes every object of `generate`, and keeps every field of it."""
    have = "with" if with_job_set else "without"
    shapes = {"one node": [], "4 nodes": ["--nodes", "4", "--coordination", "none"], "4 nodes and NATS": ["--nodes", "4", "--coordination", "nats", "--results-claim", "results"]}
    for name, words in shapes.items():
        for workload in ["job", "jobset"] if with_job_set else ["job"]:
            text = check.kube("generate", "--image", IMAGE, "--workload", workload, "--concurrency", "8", "--request-count", "40", "--name", "accepted", *words, *RUN)
            check.kubectl("apply", "--dry-run=server", "-f", "-", stdin=text)
            check.kubectl("create", "-f", "-", stdin=text)
            sent = documents(check.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-", stdin=text))
            for one in sent:
                kept = json.loads(check.kubectl("get", one["kind"], one["metadata"]["name"], "-o", "json"))
                lost = missing(one.get("spec", {}), kept.get("spec", {}))
                if lost:
                    raise SystemExit(f"FAIL the server drops fields of {one['kind']} ({name}): {lost}")
            check.kubectl("delete", "-f", "-", stdin=text)
            say(f"{have} the CRD of JobSet: the server takes {len(sent)} objects ({workload}, {name}) and keeps every field")


def documents(text):
    """JSON documents one after the other."""
    decoder, found, text = json.JSONDecoder(), [], text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        found.extend(document["items"] if document["kind"] == "List" else [document])
        text = text[end:].strip()
    return found


def missing(sent, kept, path=""):
    if isinstance(sent, dict):
        return [lost for key, value in sent.items() for lost in ([f"{path}.{key}"] if key not in kept else missing(value, kept[key], f"{path}.{key}"))]
    if isinstance(sent, list):
        return [lost for index, value in enumerate(sent) for lost in ([f"{path}[{index}]"] if index >= len(kept) else missing(value, kept[index], f"{path}[{index}]"))]
    return []


def summary(folder):
    return json.loads((folder / "profile_export_aiperf.json").read_text())


def requests(folder):
    return int(summary(folder)["request_count"]["avg"])


def drives(check, workload):
    """A whole run: profile, results, list, logs."""
    base = ["--image", IMAGE, "--workload", workload]
    out = check.folder / f"one-{workload}"
    text = check.kube("profile", *base, "--name", f"one-{workload}", "--concurrency", "4", "--request-count", "40", "--artifact-dir", str(out), *RUN)
    expect("profiling:" in text or "have their results" in text, f"{workload}: `profile` follows the run")
    expect(requests(out) == 40, f"{workload}: `profile` downloads the results of 40 requests")
    listed = check.kube("list", "--wide")
    expect(f"one-{workload}" in listed and "Completed" in listed, f"{workload}: `list` shows the run as completed")
    check.kube("delete", f"one-{workload}")
    check.wait("deletion", lambda: not check.objects())
    say(f"{workload}: `delete` leaves nothing behind")

    name = f"four-{workload}"
    check.kube("profile", *base, "--name", name, "--nodes", "4", "--coordination", "none", "--detach", "--concurrency", "8", "--request-count", "80", *RUN)
    check.kube("attach", name)
    logs = check.kube("logs", name, "--tail", "5")
    expect(logs.count("==>") == 4, f"{workload}: `logs` prints the logs of 4 pods")
    out = check.folder / name
    check.kube("results", name, "--output", str(out), "--shutdown")
    expect(requests(out / "merged") == 80, f"{workload}: `results` merges 4 nodes to 80 requests")
    ids = [json.loads(line)["metadata"] for line in (out / "merged" / "profile_export.jsonl").read_text().splitlines()]
    expect(len({one["x_request_id"] for one in ids}) == 80, f"{workload}: each request is there once")
    check.wait("completion", lambda: "Completed" in check.kube("list", name))
    check.kube("cleanup")
    check.wait("cleanup", lambda: not check.objects())
    say(f"{workload}: `cleanup` leaves nothing behind")


def cancels(check, workload):
    name = f"cancelled-{workload}"
    base = ["--image", IMAGE, "--workload", workload, "--name", name, "--detach"]
    check.kube("profile", *base, "--concurrency", "2", "--benchmark-duration", "600", *RUN)
    check.wait("a running pod", lambda: "Running" in check.kube("list", name, code=0))

    def measured():
        done = subprocess.run([check.aiperf, "kube", "cancel", name], capture_output=True, text=True, env={**os.environ, "KUBECONFIG": str(check.kubeconfig)})
        return "Cancelled" in done.stdout

    time.sleep(5)
    check.wait("cancellation", measured)
    check.kube("attach", name, code=1)
    out = check.folder / name
    check.kube("results", name, "--output", str(out), "--shutdown")
    expect(summary(out)["was_cancelled"], f"{workload}: `cancel` ends a run, whose results are kept and marked")
    text = check.kube("cleanup", "--dry-run", "--force")
    expect(f"Would delete run {name}" in text, f"{workload}: `cleanup --dry-run` only tells")
    check.kube("cleanup", "--force")
    check.wait("cleanup", lambda: not check.objects())
    say(f"{workload}: `cleanup --force` leaves nothing behind")


def explains(check):
    check.kube("profile", "--image", "elsewhere/missing:1", "--name", "no-image", "--workload", "job", "--detach", "--request-count", "4", *RUN)
    check.wait("the reason", lambda: "ImagePullBackOff" in check.kube("debug", "-j", "no-image"))
    expect("check --image" in check.kube("debug", "-j", "no-image"), "`debug` names an image that cannot be pulled, with advice")
    check.kube("delete", "no-image", "--force")
    check.wait("deletion", lambda: not check.objects())


def protects(check):
    """The Role of docs/kubernetes.md is enough for a run, and for nothing else."""
    role = check.kube("generate", "--rbac", "-n", "bench")
    check.kubectl("apply", "-f", "-", stdin=role)
    check.kubectl("create", "rolebinding", "aiperf", "-n", "bench", "--role", "aiperf", "--user", "user")
    admin, check.kubeconfig = check.kubeconfig, check.api.kubeconfig(check.folder / "user-kubeconfig", token="user-token", namespace="bench")
    text = check.kube("preflight", "--output", "json")
    failed = [one for one in json.loads(text)["checks"] if one["state"] == "fail"]
    expect(not failed, "`preflight` passes with the rights of the generated Role alone")
    drives(check, "job")
    other = subprocess.run(["kubectl", "--kubeconfig", check.kubeconfig, "get", "pods", "-n", "kube-system"], capture_output=True, text=True)
    expect(other.returncode != 0 and "forbidden" in other.stderr.lower(), "the Role opens no other namespace")
    check.kubeconfig = admin


def main():
    aiperf, programs, folder = (Path(word).resolve() for word in sys.argv[1:4])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # The address must exist before the API server binds to it.
    from controller import Network

    Network()
    check = Check(aiperf, programs, folder)
    try:
        accepts(check, with_job_set=False)
        expect("not installed" in check.kube("preflight"), "`preflight` says that JobSet is not installed")
        check.kubectl("apply", "-f", str(HERE / "jobset-crd.yaml"))
        check.wait("the CRD", lambda: "installed: a run is one JobSet" in check.kube("preflight"))
        accepts(check, with_job_set=True)
        check.start()
        for workload in ["job", "jobset"]:
            drives(check, workload)
            cancels(check, workload)
        explains(check)
        protects(check)
        print("all checks passed", flush=True)
    finally:
        check.stop()


if __name__ == "__main__":
    main()
