"""What the checks share: the programs, the commands, and how results are read."""

import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

from api_server import ApiServer
from containers import HOST
from controller import Controller

IMAGE = "registry.example/aiperf:test"
SERVER = f"http://{HOST}:18000"
RUN = ["--model", "sim", "--tokenizer", "builtin", "--url", SERVER, "--streaming", "--isl", "50", "--random-seed", "7"]
SHORT = [*RUN, "--osl", "20"]


class Check:
    def __init__(self, aiperf, programs, folder):
        self.aiperf, self.programs, self.folder = str(aiperf), programs, folder
        self.nats = shutil.which("nats-server")
        if self.nats is None:
            raise SystemExit("nats-server is missing: apt-get install nats-server")
        self.api = ApiServer(programs, folder / "server", HOST)
        self.controller = None
        self.kubeconfig = self.api.kubeconfig(folder / "kubeconfig", namespace="bench")
        self.api.post("/api/v1/namespaces", {"metadata": {"name": "bench"}})
        self.processes = []

    def start(self):
        self.controller = Controller(self.api, self.folder / "pods", {"aiperf": self.aiperf, "nats": self.nats})
        # Pods of a run start together, and the one of NATS is the last to be ready.
        self.controller.pull_times["nats"] = 3
        self.background("sim", self.aiperf, "sim", "--host", HOST, "--port", "18000", "--ttft", "20", "--itl", "2")
        self.wait("the simulated server", self.answers)

    def answers(self):
        try:
            self.served()
        except OSError:
            return False
        return True

    def background(self, name, *words):
        log = open(self.folder / f"{name}.log", "w")
        self.processes.append(subprocess.Popen([str(word) for word in words], stdout=log, stderr=log, cwd=self.folder))
        return self.processes[-1]

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()
        if self.controller:
            self.controller.stop()
        self.api.stop()

    def environment(self):
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig)}

    def command(self, *words, code=0, within=300):
        """Runs `aiperf kube`; returns what it printed to each of the two outputs."""
        command = [self.aiperf, "kube", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=within, env=self.environment(), cwd=self.folder)
        if code is not None and done.returncode != code:
            raise SystemExit(f"FAIL {' '.join(command)}: exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def kube(self, *words, code=0):
        return self.command(*words, code=code)[0]

    def begin(self, *words):
        """Starts `aiperf kube`, which goes on while something else is done."""
        command = [self.aiperf, "kube", *map(str, words)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment(), cwd=self.folder)

    def kubectl(self, *words, stdin=None):
        done = subprocess.run(["kubectl", "--kubeconfig", self.kubeconfig, *words], capture_output=True, text=True, input=stdin)
        if done.returncode != 0:
            raise SystemExit(f"FAIL kubectl {' '.join(words)}:\n{done.stdout}\n{done.stderr}\n{stdin}")
        return done.stdout

    def lists(self, *kinds, label="app.kubernetes.io/managed-by=aiperf"):
        """Objects of the namespace by kind, of those that runs have."""
        places = {
            "jobs": "/apis/batch/v1/namespaces/bench/jobs",
            "jobsets": "/apis/jobset.x-k8s.io/v1alpha2/namespaces/bench/jobsets",
            "deployments": "/apis/apps/v1/namespaces/bench/deployments",
            **{kind: f"/api/v1/namespaces/bench/{kind}" for kind in ["pods", "configmaps", "secrets", "services"]},
        }
        return {kind: self.api.items(f"{place}?labelSelector={label}") for kind, place in places.items() if not kinds or kind in kinds}

    def objects(self):
        """What runs have left in the namespace."""
        return [f"{kind}/{one['metadata']['name']}" for kind, objects in self.lists().items() for one in objects]

    def pods(self, run, component=None):
        label = f"app.kubernetes.io/instance={run}" + (f",app.kubernetes.io/component={component}" if component else "")
        return self.lists("pods", label=label)["pods"]

    def wait(self, what, condition, within=120):
        end = time.time() + within
        while time.time() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.5)
        raise SystemExit(f"FAIL {what}: not within {within} s; objects: {self.objects()}")

    def served(self):
        """Requests that the simulated server has answered."""
        with urllib.request.urlopen(f"{SERVER}/metrics") as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("vllm:request_success_total"))

    def clean(self):
        self.kube("cleanup", "--force")
        self.wait("cleanup", lambda: not self.objects())


def say(sentence):
    print(f"ok   {sentence}", flush=True)


def expect(condition, sentence):
    if not condition:
        raise SystemExit(f"FAIL {sentence}")
    say(sentence)


def summary(folder):
    return json.loads((folder / "profile_export_aiperf.json").read_text())


def requests(folder):
    return int(summary(folder)["request_count"]["avg"])


def records(folder: Path):
    return [json.loads(line) for line in (folder / "profile_export.jsonl").read_text().splitlines()]


def ids(folder):
    return [one["metadata"]["x_request_id"] for one in records(folder)]
