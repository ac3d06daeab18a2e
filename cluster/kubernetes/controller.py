"""Does the work of the controllers of Jobs, JobSets and Deployments, of the garbage collector and of a kubelet: it makes the pods of an
API server and runs their containers as local processes, each with a network namespace, a read-only root and a user without rights."""

import base64
import http.server
import os
import re
import secrets
import signal
import ssl
import subprocess
import threading
import time
import traceback
import urllib.error
import urllib.parse
from pathlib import Path

from containers import HOST, Measured, Network, Pod, bytes_of, sh

NODE = "test-node"
HERE = Path(__file__).parent
KUBELET_PORT = 10350
INDEX = "batch.kubernetes.io/job-completion-index"


class Controller:
    def __init__(self, api, folder: Path, programs):
        """`programs`: the program that stands for each image."""
        self.api, self.folder, self.programs = api, folder, programs
        self.network, self.pods, self.names, self.measured = Network(), {}, {}, {}
        # Seconds that it takes to pull an image, by a part of its name.
        self.pull_times, self.seen = {}, {}
        self.stopping = threading.Event()
        folder.mkdir(parents=True, exist_ok=True)
        self.serve_logs()
        api.post("/api/v1/nodes", {"metadata": {"name": NODE}})
        api.patch(f"/api/v1/nodes/{NODE}/status", {"status": {
            "addresses": [{"type": "InternalIP", "address": HOST}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
            "conditions": [{"type": "Ready", "status": "True"}],
            "capacity": {"cpu": "16", "memory": "64Gi", "pods": "110"},
        }})
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopping.wait(0.3):
            try:
                self.job_sets()
                self.jobs()
                self.deployments()
                self.kubelet()
                self.collect()
            except (urllib.error.URLError, OSError, KeyError):
                # The next round sees the cluster as it is then.
                traceback.print_exc(file=open(self.folder / "controller.log", "a"))

    def stop(self):
        self.stopping.set()
        self.thread.join()
        for uid in list(self.pods):
            self.end(uid)
        self.network.close()

    # Controllers

    @staticmethod
    def owned(owner, kind, version):
        metadata = owner["metadata"]
        return {"apiVersion": version, "kind": kind, "name": metadata["name"], "uid": metadata["uid"], "controller": True}

    def job_sets(self):
        version = "jobset.x-k8s.io/v1alpha2"
        for job_set in self.api.items(f"/apis/{version}/jobsets"):
            metadata, spec = job_set["metadata"], job_set["spec"]
            place = f"/apis/batch/v1/namespaces/{metadata['namespace']}/jobs"
            jobs = {job["metadata"]["name"]: job for job in self.api.items(place)}
            over = [one for one in job_set.get("status", {}).get("conditions", []) if one["status"] == "True"]
            states, status = {}, []
            for replicated in spec["replicatedJobs"]:
                name = f"{metadata['name']}-{replicated['name']}-0"
                if name not in jobs and not over:
                    labels = replicated["template"].get("metadata", {}).get("labels", {})
                    job = {"metadata": {"name": name, "labels": labels, "ownerReferences": [self.owned(job_set, "JobSet", version)]}}
                    jobs[name] = self.api.post(place, {**job, "spec": replicated["template"]["spec"]})
                job = jobs.get(name, {})
                conditions = {one["type"] for one in job.get("status", {}).get("conditions", []) if one["status"] == "True"}
                states[replicated["name"]] = conditions
                active = 0 if conditions else 1
                done = {"ready": active, "succeeded": int("Complete" in conditions), "failed": int("Failed" in conditions)}
                status.append({"name": replicated["name"], "active": active, "suspended": 0, **done})
            if over:
                continue
            targets = spec["successPolicy"]["targetReplicatedJobs"]
            ending = None
            if any("Failed" in one for one in states.values()):
                ending = "Failed"
            elif all("Complete" in states[target] for target in targets):
                ending = "Completed"
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            conditions = [{"type": ending, "status": "True", "reason": "Test", "message": "", "lastTransitionTime": now}] if ending else []
            path = f"/apis/{version}/namespaces/{metadata['namespace']}/jobsets/{metadata['name']}/status"
            self.api.patch(path, {"status": {"restarts": 0, "conditions": conditions, "replicatedJobsStatus": status}})
            if ending:
                for name in jobs:
                    if any(name == f"{metadata['name']}-{one}-0" and not states[one] for one in states):
                        self.api.delete(f"{place}/{name}")

    def jobs(self):
        pods = self.api.items("/api/v1/pods")
        for job in self.api.items("/apis/batch/v1/jobs"):
            spec, metadata = job["spec"], job["metadata"]
            if any(one["status"] == "True" for one in job.get("status", {}).get("conditions") or []):
                continue
            own = [pod for pod in pods if pod["metadata"].get("ownerReferences", [{}])[0].get("uid") == metadata["uid"]]
            phases = [pod.get("status", {}).get("phase") for pod in own]
            status = {"active": phases.count("Running") + phases.count("Pending"), "succeeded": phases.count("Succeeded"), "failed": phases.count("Failed")}
            if status["failed"] > spec["backoffLimit"]:
                reason = {"reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}
                status["conditions"] = [{"type": "Failed", "status": "True", **reason}]
                for pod, phase in zip(own, phases):
                    if phase in ("Running", "Pending"):
                        self.api.delete(f"/api/v1/namespaces/{metadata['namespace']}/pods/{pod['metadata']['name']}")
            elif status["succeeded"] == spec["completions"]:
                status["conditions"] = [{"type": "Complete", "status": "True"}]
            else:
                have = {pod["metadata"]["annotations"][INDEX] for pod, phase in zip(own, phases) if phase != "Failed"}
                for index in map(str, range(spec["completions"])):
                    if index not in have:
                        name = f"{metadata['name']}-{index}-{secrets.token_hex(3)[:5]}"
                        self.make_pod(job, "Job", "batch/v1", spec["template"], name, {INDEX: index})
            self.api.patch(f"/apis/batch/v1/namespaces/{metadata['namespace']}/jobs/{metadata['name']}/status", {"status": status})

    def deployments(self):
        pods = self.api.items("/api/v1/pods")
        for deployment in self.api.items("/apis/apps/v1/deployments"):
            metadata = deployment["metadata"]
            if not any(pod["metadata"].get("ownerReferences", [{}])[0].get("uid") == metadata["uid"] for pod in pods):
                name = f"{metadata['name']}-{secrets.token_hex(3)}"
                self.make_pod(deployment, "Deployment", "apps/v1", deployment["spec"]["template"], name, {})

    def make_pod(self, owner, kind, version, template, name, annotations):
        metadata = {
            "name": name,
            "labels": template["metadata"]["labels"],
            "annotations": {**template["metadata"].get("annotations", {}), **annotations},
            "ownerReferences": [self.owned(owner, kind, version)],
        }
        spec = {**template["spec"], "nodeName": NODE}
        self.api.post(f"/api/v1/namespaces/{owner['metadata']['namespace']}/pods", {"metadata": metadata, "spec": spec})

    def collect(self):
        """Deletes what belongs to objects that are gone."""
        # Owners are listed after what they own: an owner that is made in between is seen.
        kinds = ["/api/v1/pods", "/api/v1/configmaps", "/api/v1/secrets", "/api/v1/services", "/apis/apps/v1/deployments", "/apis/batch/v1/jobs"]
        lists = {path: self.api.items(path) for path in kinds + ["/apis/jobset.x-k8s.io/v1alpha2/jobsets"]}
        known = {one["metadata"]["uid"] for objects in lists.values() for one in objects}
        for path in kinds:
            base, plural = path.rsplit("/", 1)
            for one in lists[path]:
                owners = one["metadata"].get("ownerReferences", [])
                if owners and not any(owner["uid"] in known for owner in owners):
                    self.api.delete(f"{base}/namespaces/{one['metadata']['namespace']}/{plural}/{one['metadata']['name']}")

    # Kubelet

    def kubelet(self):
        objects = {pod["metadata"]["uid"]: pod for pod in self.api.items("/api/v1/pods")}
        for uid in list(self.pods):
            if uid not in objects:
                self.end(uid)
        for uid, pod in objects.items():
            phase = pod.get("status", {}).get("phase")
            if uid not in self.pods and phase == "Pending" and self.has_image(pod):
                self.begin(pod)
            elif uid in self.pods and phase == "Running":
                running = self.pods[uid]
                self.measured[running.name].look(running.process)
                code = running.process.poll()
                if code is not None and pod["spec"]["restartPolicy"] != "Never":
                    running.process = self.execute(running)
                elif code is not None:
                    reason = {"reason": "Error" if code else "Completed", "exitCode": code if code >= 0 else 128 - code}
                    self.report(pod, "Failed" if code else "Succeeded", {"terminated": reason})
        self.write_hosts(objects)

    def has_image(self, pod):
        image = pod["spec"]["containers"][0]["image"]
        pulled = self.seen.setdefault(pod["metadata"]["uid"], time.time())
        return time.time() >= pulled + max((seconds for part, seconds in self.pull_times.items() if part in image), default=0)

    def report(self, pod, phase, state):
        metadata = pod["metadata"]
        container = pod["spec"]["containers"][0]
        running = self.pods.get(metadata["uid"])
        status = {
            "phase": phase,
            "hostIP": HOST,
            "containerStatuses": [{
                "name": container["name"], "image": container["image"], "imageID": "", "ready": phase == "Running", "restartCount": 0, "state": state,
            }],
        }
        if running:
            status["podIP"] = running.address
            status["podIPs"] = [{"ip": running.address}]
        self.api.patch(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/status", {"status": status})

    def begin(self, pod):
        metadata, spec = pod["metadata"], pod["spec"]
        container = spec["containers"][0]
        folder = self.folder / metadata["name"]
        try:
            places = self.mount(metadata["namespace"], spec, folder)
            environment = self.environment(pod, container)
        except urllib.error.HTTPError as error:
            waiting = {"reason": "CreateContainerConfigError", "message": str(error)}
            return self.report(pod, "Pending", {"waiting": waiting})
        expand = lambda text: re.sub(r"\$\((\w+)\)", lambda name: environment.get(name[1], name[0]), text)
        program = next((program for image, program in self.programs.items() if image in container["image"]), None)
        if program is None:
            return self.report(pod, "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": f"no image {container['image']}"}})
        root = folder / "root"
        root.mkdir(parents=True, exist_ok=True)
        space, address = self.network.join(metadata["name"])
        # A pod that says nothing gets what our pods have.
        user = str(spec["securityContext"].get("runAsUser", 65532))
        mounts = [f"{one['mountPath']}={':' if one.get('readOnly') else ''}{places[one['name']]}" for one in container.get("volumeMounts", [])]
        words = ["ip", "netns", "exec", space, "unshare", "--mount", HERE / "container", root, f"/etc/netns/{space}/hosts", user, program]
        words += [*mounts, "--", *map(expand, container["args"])]
        running = Pod(metadata["name"], None, space, address, [str(word) for word in words], {"PATH": os.environ["PATH"], "KUBERNETES_SERVICE_HOST": HOST, **environment})
        self.names[(metadata["namespace"], metadata["name"])] = folder / "log"
        requests = container.get("resources", {}).get("requests", {})
        self.measured[metadata["name"]] = Measured(bytes_of(requests["memory"]) if "memory" in requests else None)
        running.process = self.execute(running)
        self.pods[metadata["uid"]] = running
        self.report(pod, "Running", {"running": {}})

    def execute(self, pod):
        log = open(self.folder / pod.name / "log", "ab")
        return subprocess.Popen(pod.words, stdout=log, stderr=subprocess.STDOUT, env=pod.environment, cwd="/")

    def kill(self, name):
        """Ends the container of a pod as the kernel does when a machine has no memory left."""
        pod = next(pod for pod in self.pods.values() if pod.name == name)
        pod.process.kill()

    def mount(self, namespace, spec, folder):
        places = {}
        for volume in spec.get("volumes", []):
            place = folder / volume["name"]
            place.mkdir(parents=True, exist_ok=True)
            places[volume["name"]] = place
            if "emptyDir" in volume:
                place.chmod(0o777)
            if "configMap" in volume:
                source = self.api.get(f"/api/v1/namespaces/{namespace}/configmaps/{volume['configMap']['name']}")
                binary = {key: base64.b64decode(value) for key, value in source.get("binaryData", {}).items()}
                data = {**{key: value.encode() for key, value in source.get("data", {}).items()}, **binary}
                for item in volume["configMap"].get("items") or [{"key": key, "path": key} for key in data]:
                    path = place / item["path"]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data[item["key"]])
            if "secret" in volume:
                source = self.api.get(f"/api/v1/namespaces/{namespace}/secrets/{volume['secret']['secretName']}")
                for key, value in source.get("data", {}).items():
                    (place / key).write_bytes(base64.b64decode(value))
            if "persistentVolumeClaim" in volume:
                claim = self.folder / "claims" / volume["persistentVolumeClaim"]["claimName"]
                claim.mkdir(parents=True, exist_ok=True)
                claim.chmod(0o777)
                places[volume["name"]] = claim
        return places

    def environment(self, pod, container):
        namespace, values = pod["metadata"]["namespace"], {}
        for variable in container.get("env", []):
            source = variable.get("valueFrom", {})
            if "secretKeyRef" in source:
                secret = self.api.get(f"/api/v1/namespaces/{namespace}/secrets/{source['secretKeyRef']['name']}")
                values[variable["name"]] = base64.b64decode(secret["data"][source["secretKeyRef"]["key"]]).decode()
            elif "fieldRef" in source:
                key = re.search(r"\['(.+)'\]", source["fieldRef"]["fieldPath"])[1]
                values[variable["name"]] = pod["metadata"]["annotations"][key]
            else:
                values[variable["name"]] = re.sub(r"\$\((\w+)\)", lambda name: values.get(name[1], name[0]), variable.get("value", ""))
        return values

    def write_hosts(self, objects):
        """Names of Services, and of the pods of a JobSet, in every pod."""
        lines = ["127.0.0.1 localhost"]
        for service in self.api.items("/api/v1/services"):
            selector = service["spec"].get("selector") or {}
            for uid, running in self.pods.items():
                labels = objects.get(uid, {}).get("metadata", {}).get("labels", {})
                if selector and selector.items() <= labels.items():
                    lines.append(f"{running.address} {service['metadata']['name']}")
        for uid, running in self.pods.items():
            name = objects.get(uid, {}).get("metadata", {}).get("name", "")
            job_set = re.match(r"(.+)-(nats|node|coordinator)-0-(\d+)-\w+$", name)
            if job_set:
                run, part, index = job_set.groups()
                lines.append(f"{running.address} {run}-{part}-0-{index}.{run}")
        for running in self.pods.values():
            hosts = Path(f"/etc/netns/{running.space}/hosts")
            if hosts.parent.exists() and hosts.read_text() != "\n".join(lines) + "\n":
                hosts.write_text("\n".join(lines) + "\n")

    def end(self, uid):
        pod = self.pods.pop(uid)
        if pod.process.poll() is None:
            pod.process.send_signal(signal.SIGTERM)
            try:
                pod.process.wait(20)
            except subprocess.TimeoutExpired:
                pod.process.kill()
        self.network.leave(pod.space)

    def serve_logs(self):
        """The part of a kubelet's interface that `kubectl logs` needs."""
        names = self.names

        class Logs(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                url = urllib.parse.urlparse(self.path)
                query = urllib.parse.parse_qs(url.query)
                _, what, namespace, pod, _container = url.path.split("/")
                log = names.get((namespace, pod))
                if what != "containerLogs" or log is None:
                    return self.send_error(404)
                lines = log.read_bytes().splitlines(keepends=True)
                tail = int(query.get("tailLines", ["0"])[0])
                body = b"".join(lines[-tail:] if tail else lines)
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        sh("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(self.folder / "kubelet.key"), "-out", str(self.folder / "kubelet.crt"), "-days", "1", "-subj", "/CN=kubelet")
        server = http.server.ThreadingHTTPServer((HOST, KUBELET_PORT), Logs)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "kubelet.crt", self.folder / "kubelet.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
