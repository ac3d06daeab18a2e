"""Child processes: what each and its descendants cost, with a bound on every wait. None outlives this program."""

import atexit
import ctypes
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SAMPLE_EVERY_S = 0.05
PAGE = os.sysconf("SC_PAGE_SIZE")

_groups: set[int] = set()


@dataclass(frozen=True)
class Finished:
    rc: int
    wall_s: float
    # User and system time of the process and of all its descendants.
    cpu_s: float
    # Greatest sum of resident memory over the process tree that a sample saw. Shared pages count once per process.
    peak_rss_mb: float
    output: str


def adopt_orphans() -> None:
    """Makes this process the parent of orphaned descendants, so that their CPU time is counted and none is left."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def start(argv: list[str], folder: Path, env: dict[str, str], stdout, stderr) -> subprocess.Popen:
    child = subprocess.Popen(
        argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
    )
    _groups.add(child.pid)
    return child


def run(argv: list[str], folder: Path, env: dict[str, str], limit_s: float) -> Finished:
    """Runs a command to its end; one that takes longer than `limit_s` or fails is an error."""
    output = folder / "output.txt"
    began = time.monotonic()
    with output.open("wb") as file:
        child = start(argv, folder, env, file, subprocess.STDOUT)
    late = threading.Event()
    alarm = threading.Timer(limit_s, lambda: (late.set(), _kill(child.pid)))
    alarm.start()
    memory = MemorySampler(child.pid)
    try:
        rc, cpu = wait(child)
        wall = time.monotonic() - began
    finally:
        alarm.cancel()
        peak = memory.stop()
    cpu += end_group(child)
    text = output.read_text(errors="replace")
    if late.is_set():
        raise RuntimeError(f"{argv[0]} did not end within {limit_s:.0f} s; see {folder}\n{text[-2000:]}")
    if rc != 0:
        raise RuntimeError(f"{' '.join(argv)} ended with {rc}; see {folder}\n{text[-2000:]}")
    return Finished(rc, wall, cpu, peak / 1e6, text)


def wait(child: subprocess.Popen) -> tuple[int, float]:
    """Exit status and CPU time of a child with those descendants that it waited for."""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def end_group(child: subprocess.Popen) -> float:
    """Ends what is left of a child's group and returns the CPU time of those that were adopted."""
    _kill(child.pid)
    _groups.discard(child.pid)
    cpu, until = 0.0, time.monotonic() + 5
    while time.monotonic() < until:
        try:
            pid, _, usage = os.wait4(-child.pid, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == 0:
            time.sleep(0.005)
        else:
            cpu += usage.ru_utime + usage.ru_stime
    return cpu


class MemorySampler:
    """Looks at the resident memory of a process tree while it runs."""

    def __init__(self, root: int):
        self._root, self._peak, self._over = root, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        self._over.set()
        self._thread.join()
        return self._peak

    def _watch(self) -> None:
        while not self._over.wait(SAMPLE_EVERY_S):
            self._peak = max(self._peak, sum(_resident(pid) for pid in _tree(self._root)))


def _tree(root: int) -> list[int]:
    found, ahead = [], [root]
    while ahead:
        pid = ahead.pop()
        found.append(pid)
        for thread in _listing(f"/proc/{pid}/task"):
            ahead += [int(child) for child in _text(f"/proc/{pid}/task/{thread}/children").split()]
    return found


def _resident(pid: int) -> int:
    fields = _text(f"/proc/{pid}/statm").split()
    return int(fields[1]) * PAGE if fields else 0


def _listing(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _end_all() -> None:
    for group in list(_groups):
        _kill(group)


def _on_signal(number, _frame) -> None:
    _end_all()
    raise SystemExit(128 + number)


atexit.register(_end_all)
for _signal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(_signal, _on_signal)
