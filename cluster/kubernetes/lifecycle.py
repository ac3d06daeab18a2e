"""Runs without a coordinator, from `profile` to `cleanup`."""

import json
import subprocess

from harness import IMAGE, SHORT, expect, ids, requests, say, summary


def drives(check, workload):
    """A whole run: profile, results, list, logs."""
    base = ["--image", IMAGE, "--workload", workload]
    out = check.folder / f"one-{workload}"
    text = check.kube("profile", *base, "--name", f"one-{workload}", "--concurrency", "4", "--request-count", "40", "--artifact-dir", out, *SHORT)
    expect("profiling:" in text or "have their results" in text, f"{workload}: `profile` follows the run")
    expect(requests(out) == 40, f"{workload}: `profile` downloads the results of 40 requests")
    listed = check.kube("list", "--wide")
    expect(f"one-{workload}" in listed and "Completed" in listed, f"{workload}: `list` shows the run as completed")
    check.kube("delete", f"one-{workload}")
    check.wait("deletion", lambda: not check.objects())
    say(f"{workload}: `delete` leaves nothing behind")

    name = f"four-{workload}"
    check.kube("profile", *base, "--name", name, "--nodes", "4", "--coordination", "none", "--detach", "--concurrency", "8", "--request-count", "80", *SHORT)
    check.kube("attach", name)
    logs = check.kube("logs", name, "--tail", "5")
    expect(logs.count("==>") == 4, f"{workload}: `logs` prints the logs of 4 pods")
    out = check.folder / name
    check.kube("results", name, "--output", out, "--shutdown")
    expect(requests(out / "merged") == 80, f"{workload}: `results` merges 4 nodes to 80 requests")
    expect(len(set(ids(out / "merged"))) == 80, f"{workload}: each request is there once")
    check.wait("completion", lambda: "Completed" in check.kube("list", name))
    check.kube("cleanup")
    check.wait("cleanup", lambda: not check.objects())
    say(f"{workload}: `cleanup` leaves nothing behind")


def cancels(check, workload, nodes=1):
    """`nodes` above 1 are coordinated over NATS."""
    name, kind = f"cancelled-{workload}-{nodes}", f"{workload}, {nodes} node(s)"
    base = ["--image", IMAGE, "--workload", workload, "--name", name, "--nodes", nodes, "--detach"]
    check.kube("profile", *base, "--concurrency", "4", "--benchmark-duration", "600", *SHORT)
    check.wait("a running pod", lambda: "Running" in check.kube("list", name))
    follower = check.begin("attach", name)
    for line in follower.stdout:
        if line.startswith("profiling: ") and not line.startswith("profiling: 0"):
            say(f"{kind}: `attach` shows the progress: {line.strip()}")
            break
    expect("Cancelled" in check.kube("cancel", name), f"{kind}: `cancel` answers")
    follower.communicate(timeout=120)
    expect(follower.returncode == 1, f"{kind}: `attach` ends with exit code 1")
    out = check.folder / name
    check.kube("results", name, "--output", out, "--shutdown")
    expect(summary(out)["was_cancelled"] and requests(out) > 0, f"{kind}: the results of a cancelled run are kept and marked ({requests(out)} requests)")
    text = check.kube("cleanup", "--dry-run", "--force")
    expect(f"Would delete run {name}" in text, f"{kind}: `cleanup --dry-run` only tells")
    check.clean()
    say(f"{kind}: `cleanup --force` leaves nothing behind")


def explains(check):
    check.kube("profile", "--image", "elsewhere/missing:1", "--name", "no-image", "--workload", "job", "--detach", "--request-count", "4", *SHORT)
    check.wait("the reason", lambda: "ImagePullBackOff" in check.kube("debug", "-j", "no-image"))
    expect("check --image" in check.kube("debug", "-j", "no-image"), "`debug` names an image that cannot be pulled, with advice")
    check.kube("delete", "no-image", "--force")
    check.wait("deletion", lambda: not check.objects())


def protects(check):
    """The Role of docs/kubernetes.md is enough for all commands, and for nothing else."""
    role = check.kube("generate", "--rbac", "-n", "bench")
    check.kubectl("apply", "-f", "-", stdin=role)
    check.kubectl("create", "rolebinding", "aiperf", "-n", "bench", "--role", "aiperf", "--user", "user")
    admin, check.kubeconfig = check.kubeconfig, check.api.kubeconfig(check.folder / "user-kubeconfig", token="user-token", namespace="bench")
    checks = json.loads(check.kube("preflight", "--output", "json"))["checks"]
    not_passed = [one["name"] for one in checks if one["state"] != "pass"]
    expect(not_passed == ["API server"], "`preflight` passes with the rights of the generated Role alone, except for the version of this server")
    drives(check, "job")
    check.kube("profile", "--image", IMAGE, "--workload", "job", "--name", "of-user", "--nodes", "2", "--detach", "--concurrency", "2", "--request-count", "20", *SHORT)
    table, note = check.command("list", "--wide")
    expect("of-user" in table and SHORT[SHORT.index("--url") + 1] in table, "`list --wide` shows the runs of the own namespace with the Role alone")
    expect("no right to list all namespaces; showing namespace bench" in note, "`list` says that it shows one namespace")
    expect("model: sim" in check.kube("show", "of-user"), "`show RUN` prints the configuration with the Role alone")
    check.kube("attach", "of-user")
    check.kube("debug", "-j", "of-user", "--verbose")
    check.kube("results", "of-user", "--output", check.folder / "of-user", "--shutdown")
    expect(requests(check.folder / "of-user") == 20, "a run over NATS needs no more than the Role")
    check.clean()
    other = subprocess.run(["kubectl", "--kubeconfig", check.kubeconfig, "get", "pods", "-n", "kube-system"], capture_output=True, text=True)
    expect(other.returncode != 0 and "forbidden" in other.stderr.lower(), "the Role opens no other namespace")
    check.kubeconfig = admin
