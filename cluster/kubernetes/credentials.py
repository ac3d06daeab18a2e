"""Secrets are in Secrets and nowhere else, pods have no rights, and the interface of a pod wants its token."""

import base64
import http.client
import json
import urllib.error
import urllib.request

from harness import IMAGE, SHORT, expect, requests

PLANTED = {"an API key": "sk-planted-4711", "a secret header": "planted-header-1213"}


def keeps_secrets(check, workload, nodes):
    name, kind = f"secret-{workload}-{nodes}", f"{workload}, {nodes} node(s)"
    words = ["--image", IMAGE, "--workload", workload, "--name", name, "--nodes", nodes, "--detach", "--concurrency", "4", "--request-count", "400"]
    words += ["--api-key", PLANTED["an API key"], "--header", f"X-Api-Token: {PLANTED['a secret header']}", "--export-level", "raw", *SHORT]
    check.kube("profile", *words)
    check.wait("pods", lambda: len([pod for pod in check.pods(name) if pod["status"].get("phase") == "Running"]) >= (1 if nodes == 1 else nodes + 2))
    lists = check.lists()
    secret = next(one for one in lists.pop("secrets") if one["metadata"]["name"] == f"{name}-credentials")
    values = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
    planted = {**PLANTED, "the token of the pods": values["api-token"]}
    expect(all(any(text in value for value in values.values()) for text in planted.values()), f"{kind}: the Secret of the run has {len(values)} values")
    no_pod_without_token(check, name, kind, values["api-token"])
    check.kube("attach", name)
    logs = check.kube("logs", name)
    check.kube("logs", name, "--output", check.folder / f"{name}-logs")
    out = check.folder / name
    shown = check.kube("show", name) + check.kube("list", "--wide") + check.kube("debug", "-j", name, "--verbose")
    check.kube("results", name, "--output", out, "--shutdown")
    expect(requests(out) == 400, f"{kind}: 400 requests with the key")
    measured = {pod: seen for pod, seen in check.controller.measured.items() if pod.startswith(name)}
    places = {
        "objects": json.dumps(lists) + json.dumps(check.lists("jobs", "pods")),
        "logs": logs + "".join(path.read_text() for path in (check.folder / "pods").glob(f"{name}*/log")),
        "outputs of commands": shown,
        "arguments of processes": " ".join(seen.arguments for seen in measured.values()),
    }
    files = [path for path in out.rglob("*") if path.is_file()]
    places["result files"] = "".join(path.read_text(errors="replace") for path in files)
    for what, text in planted.items():
        for place, content in places.items():
            for form in [text, base64.b64encode(text.encode()).decode()]:
                if form in content:
                    raise SystemExit(f"FAIL {kind}: {what} is in the {place}: {content[max(0, content.index(form) - 200):][:400]}")
    expect(len(files) > 5, f"{kind}: none of {len(planted)} planted secrets is in objects, logs, outputs, arguments of processes or {len(files)} result files")
    expect({seen.user for seen in measured.values()} == {65532} and all(seen.has_read_only_root for seen in measured.values()), f"{kind}: {len(measured)} containers ran as user 65532 on a read-only root")
    check.clean()
    memory(measured, kind)


def memory(measured, kind):
    mebibytes = lambda count: f"{count / (1 << 20):.0f} MiB"
    for pod, seen in sorted(measured.items()):
        expect(seen.peak <= seen.requested, f"{kind}: {pod} asks for {mebibytes(seen.requested)} and needs {mebibytes(seen.peak)}")


def no_pod_without_token(check, name, kind, token):
    serving = check.pods(name, "coordinator") or check.pods(name, "node")
    address = serving[0]["status"]["podIP"]

    def answer(path, **headers):
        try:
            with urllib.request.urlopen(urllib.request.Request(f"http://{address}:9090{path}", headers=headers), timeout=10) as page:
                return page.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    check.wait("the interface", lambda: answer("/healthz") == 200)
    given = {"without a token": answer("/api/progress"), "with a wrong one": answer("/api/progress", Authorization="Bearer wrong-token-1"), "with the token": answer("/api/progress", Authorization=f"Bearer {token}")}
    expect(list(given.values()) == [401, 401, 200], f"{kind}: the interface of a pod answers {given}")


def shows_the_page(check, workload, nodes):
    name, kind = f"page-{workload}-{nodes}", f"{workload}, {nodes} node(s)"
    check.kube("profile", "--image", IMAGE, "--workload", workload, "--name", name, "--nodes", nodes, "--detach", "--concurrency", "4", "--benchmark-duration", "600", *SHORT)
    serving = "coordinator" if nodes > 1 else "node"
    check.wait("a running pod", lambda: any(pod["status"].get("phase") == "Running" for pod in check.pods(name, serving)))
    page = check.begin("dashboard", name)
    place = page.stdout.readline().strip().rsplit("http://", 1)[1].rstrip("/")

    def get(path, host=place):
        connection = http.client.HTTPConnection(place, timeout=20)
        connection.request("GET", path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer

    check.wait("the page", lambda: get("/")[0] == 200)
    status, answer = get("/")
    expect(b"<html" in answer.read().lower(), f"{kind}: `dashboard` serves the live page")
    count = lambda: json.loads(get("/api/progress")[1].read())["phases"].get("profiling", {}).get("requests_completed", 0)
    expect(check.wait("progress", count) > 0, f"{kind}: the page gets its numbers through the API server")
    status, answer = get("/api/events")
    first = answer.fp.readline() if status == 200 else b""
    expect(first, f"{kind}: the stream of events reaches the browser: {first[:40]!r}")
    expect(get("/", host="evil.example")[0] == 403, f"{kind}: pages of other sites are refused")
    page.terminate()
    page.wait()
    check.clean()
