"""Drives `aiperf kube` against a real API server, with a controller that runs pods as local processes. Prints one line for each thing that
is checked, and fails at the first that does not hold.

    check.py AIPERF PROGRAMS FOLDER [PART...]
"""

import shutil
import sys
from pathlib import Path

import accepted
import configured
import coordinated
import credentials
import lifecycle
from containers import Network
from harness import Check, expect

HERE = Path(__file__).parent


def objects(check):
    accepted.accepts(check, with_job_set=False)
    expect("not installed" in check.kube("preflight"), "`preflight` says that JobSet is not installed")


def objects_with_job_set(check):
    accepted.accepts(check, with_job_set=True)


def runs(check):
    for workload in ["job", "jobset"]:
        lifecycle.drives(check, workload)
        lifecycle.cancels(check, workload)
    lifecycle.explains(check)


def nats(check):
    for workload in ["job", "jobset"]:
        coordinated.coordinates(check, workload)
        coordinated.uses_server_of_the_site(check, workload)
        lifecycle.cancels(check, workload, nodes=4)


def losses(check):
    for workload in ["job", "jobset"]:
        for policy in ["fail", "continue", "replace"]:
            coordinated.loses_a_node(check, workload, policy)
        coordinated.loses_nats(check, workload)


def files(check):
    configured.checks_files(check)
    for workload in ["job", "jobset"]:
        configured.runs_a_file(check, workload)
        configured.sweeps(check, workload)
        configured.finds_metrics_pages(check, workload)
    for nodes, with_nats in [(1, False), (4, False), (4, True)]:
        configured.runs_the_chart(check, nodes, with_nats)


def secrets(check):
    for workload, nodes in [("job", 1), ("job", 4), ("jobset", 4)]:
        credentials.keeps_secrets(check, workload, nodes)
        credentials.shows_the_page(check, workload, nodes)


PARTS = [runs, nats, losses, files, secrets, lifecycle.protects]


def main():
    aiperf, programs, folder = (Path(word).resolve() for word in sys.argv[1:4])
    wanted = sys.argv[4:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # The address must exist before the API server binds to it.
    Network()
    check = Check(aiperf, programs, folder)
    is_wanted = lambda part: not wanted or part.__name__ in wanted
    try:
        if is_wanted(objects):
            objects(check)
        check.kubectl("apply", "-f", str(HERE / "jobset-crd.yaml"))
        check.wait("the CRD", lambda: "installed: a run is one JobSet" in check.kube("preflight"))
        if is_wanted(objects):
            objects_with_job_set(check)
        check.start()
        for part in filter(is_wanted, PARTS):
            part(check)
        print("all checks passed", flush=True)
    finally:
        check.stop()


if __name__ == "__main__":
    main()
