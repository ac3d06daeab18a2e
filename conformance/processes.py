"""Child processes with a bound on every wait, whose whole process group ends when this program does."""

import atexit
import ctypes
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

PR_SET_CHILD_SUBREAPER = 36
STEP_S = 0.005

_groups: set[int] = set()


@dataclass(frozen=True)
class Finished:
    rc: int
    wall_s: float
    cpu_s: float
    stdout: str
    stderr: str
    timed_out: bool


def adopt_orphans() -> None:
    """Makes this process the parent of orphaned descendants, so that their CPU time is counted and none is left behind."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def start(argv: list[str], cwd: Path, env: dict[str, str], stdout, stderr) -> subprocess.Popen:
    child = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
    )
    _groups.add(child.pid)
    return child


def run(
    argv: list[str],
    cwd: Path,
    env: dict[str, str],
    limit_s: float,
    interrupt_when: Callable[[], bool] | None = None,
) -> Finished:
    """Runs a command to its end. `interrupt_when` is asked until it says yes; then the group gets SIGINT once, as from
    Ctrl-C at a terminal. CPU time is that of the command and of all its descendants."""
    out, err = cwd / "stdout.txt", cwd / "stderr.txt"
    before = _children_cpu()
    began = time.monotonic()
    with out.open("wb") as stdout, err.open("wb") as stderr:
        child = start(argv, cwd, env, stdout, stderr)
    timed_out = False
    asked = 0.0
    while child.poll() is None:
        now = time.monotonic()
        if now - began > limit_s:
            timed_out = True
            break
        if interrupt_when and now - asked > 0.1:
            asked = now
            if interrupt_when():
                os.killpg(child.pid, signal.SIGINT)
                interrupt_when = None
        time.sleep(STEP_S)
    wall = time.monotonic() - began
    end_group(child)
    return Finished(
        rc=-1 if timed_out else child.returncode,
        wall_s=wall,
        cpu_s=_children_cpu() - before,
        stdout=out.read_text(errors="replace"),
        stderr=err.read_text(errors="replace"),
        timed_out=timed_out,
    )


def stop(child: subprocess.Popen, sig: int, limit_s: float) -> None:
    """Asks a child to end, and ends its group by force when it does not."""
    if child.poll() is None:
        child.send_signal(sig)
        try:
            child.wait(limit_s)
        except subprocess.TimeoutExpired:
            pass
    end_group(child)


def end_group(child: subprocess.Popen) -> None:
    _kill_group(child.pid)
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        pass
    _reap(child.pid, 5.0)
    _groups.discard(child.pid)


def _reap(group: int, limit_s: float) -> None:
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        try:
            pid, _ = os.waitpid(-group, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            time.sleep(STEP_S)


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _end_all() -> None:
    for group in list(_groups):
        _kill_group(group)


def _on_signal(number, _frame) -> None:
    _end_all()
    raise SystemExit(128 + number)


atexit.register(_end_all)
for _signal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(_signal, _on_signal)
