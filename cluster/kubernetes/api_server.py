"""A real Kubernetes API server (etcd and kube-apiserver) on this machine, and a small client of it."""

import json
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

PORT = 16443
ETCD = "http://127.0.0.1:12379"
TOKEN = "admin-token"


class ApiServer:
    """Starts with an empty store; `stop` ends both programs."""

    def __init__(self, programs: Path, folder: Path, address: str):
        self.folder, self.address = folder, address
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["openssl", "genrsa", "-out", folder / "sa.key", "2048"], check=True, capture_output=True)
        (folder / "tokens.csv").write_text(f'{TOKEN},admin,1,"system:masters"\nuser-token,user,2,"benchmarkers"\n')
        self.processes = [
            self.start(
                "etcd", programs / "etcd", "--data-dir", folder / "etcd", "--listen-client-urls", ETCD, "--advertise-client-urls", ETCD,
                "--listen-peer-urls", "http://127.0.0.1:12380", "--initial-advertise-peer-urls", "http://127.0.0.1:12380",
                "--initial-cluster", "default=http://127.0.0.1:12380",
            ),
            self.start(
                "kube-apiserver", programs / "kube-apiserver", "--etcd-servers", ETCD, "--bind-address", "0.0.0.0",
                "--secure-port", PORT, "--insecure-port", "0", "--cert-dir", folder / "certs", "--advertise-address", address,
                "--service-account-key-file", folder / "sa.key", "--service-account-signing-key-file", folder / "sa.key",
                "--service-account-issuer", "https://kubernetes.default.svc", "--token-auth-file", folder / "tokens.csv",
                "--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24", "--disable-admission-plugins", "ServiceAccount",
                # The added field of Jobs has no place in protobuf.
                "--storage-media-type", "application/json", "--feature-gates", "TTLAfterFinished=true",
            ),
        ]
        self.url = f"https://127.0.0.1:{PORT}"
        # The certificate is made at the start and signed by nobody.
        self.context = ssl._create_unverified_context()
        self.wait()

    def start(self, name, *words):
        log = open(self.folder / f"{name}.log", "w")
        return subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)

    def wait(self):
        for _ in range(600):
            try:
                if self.get("/readyz", raw=True) == b"ok":
                    return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.5)
        raise SystemExit(f"kube-apiserver does not start; see {self.folder}/kube-apiserver.log")

    def request(self, method, path, body=None, content_type="application/json", raw=False):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": content_type}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, context=self.context, timeout=30) as answer:
            content = answer.read()
            return content if raw else json.loads(content)

    def get(self, path, raw=False):
        return self.request("GET", path, raw=raw)

    def items(self, path):
        """The objects of a list; none if the server does not know the kind."""
        try:
            return self.get(path)["items"]
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return []
            raise

    def post(self, path, body):
        return self.request("POST", path, body)

    def patch(self, path, body):
        return self.request("PATCH", path, body, "application/merge-patch+json")

    def delete(self, path):
        try:
            return self.request("DELETE", path, {"gracePeriodSeconds": 0})
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise

    def kubeconfig(self, path: Path, token=TOKEN, namespace="default"):
        cluster = {"server": self.url, "insecure-skip-tls-verify": True}
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "test", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": namespace}}],
        }))
        return path

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
