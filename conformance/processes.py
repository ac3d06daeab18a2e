"""Child processes: what each and its descendants cost, with a bound on every wait. None outlives this program. Used by
conformance/run and by benches/run."""

import atexit
import ctypes
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

PR_SET_CHILD_SUBREAPER = 36
WATCH_EVERY_S = 0.1

_groups: set[int] = set()


@dataclass(frozen=True)
class Finished:
    rc: int
    wall_s: float
    # User and system time of the process and of all its descendants.
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


def start(
    argv: list[str], cwd: Path, env: dict[str, str], stdout, stderr, cores: set[int] | None = None
) -> subprocess.Popen:
    """`cores`: those that it may use; all by default."""
    before = os.sched_getaffinity(0)
    if cores:
        # A child has the cores of the thread that starts it.
        os.sched_setaffinity(0, cores)
    try:
        child = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
    finally:
        if cores:
            os.sched_setaffinity(0, before)
    _groups.add(child.pid)
    return child


def run(
    argv: list[str],
    cwd: Path,
    env: dict[str, str],
    limit_s: float,
    interrupt_when: Callable[[], bool] | None = None,
    while_running: Callable[[int], None] = lambda _pid: None,
    cores: set[int] | None = None,
) -> Finished:
    """Runs a command to its end. `interrupt_when` is asked until it says yes; then the group gets SIGINT once, as from
    Ctrl-C at a terminal. `while_running` is told the process id once."""
    out, err = cwd / "stdout.txt", cwd / "stderr.txt"
    began = time.monotonic()
    with out.open("wb") as stdout, err.open("wb") as stderr:
        child = start(argv, cwd, env, stdout, stderr, cores)
    watch = _Watch(child.pid, began + limit_s, interrupt_when)
    while_running(child.pid)
    rc, cpu = wait(child)
    wall = time.monotonic() - began
    timed_out = watch.end()
    cpu += end_group(child)
    return Finished(
        rc=-1 if timed_out else rc,
        wall_s=wall,
        cpu_s=cpu,
        stdout=out.read_text(errors="replace"),
        stderr=err.read_text(errors="replace"),
        timed_out=timed_out,
    )


class _Watch:
    """Ends a group that takes too long, and interrupts it when it is time to."""

    def __init__(self, group: int, until: float, interrupt_when: Callable[[], bool] | None):
        self._group, self._until, self._interrupt_when = group, until, interrupt_when
        self._over, self._late = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> bool:
        """Whether it took too long."""
        self._over.set()
        self._thread.join()
        return self._late

    def _run(self) -> None:
        while not self._over.wait(WATCH_EVERY_S):
            if time.monotonic() > self._until:
                self._late = True
                _kill_group(self._group)
                return
            if self._interrupt_when and self._interrupt_when():
                self._interrupt_when = None
                _signal_group(self._group, signal.SIGINT)


def wait(child: subprocess.Popen) -> tuple[int, float]:
    """Exit status and CPU time of a child with those descendants that it waited for."""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def stop(child: subprocess.Popen, sig: int, limit_s: float) -> float:
    """Asks a child to end, ends its group by force when it does not, and returns their CPU time."""
    if child.returncode is not None:
        return end_group(child)
    alarm = threading.Timer(limit_s, _kill_group, (child.pid,))
    alarm.start()
    _signal_group(child.pid, sig)
    _, cpu = wait(child)
    alarm.cancel()
    return cpu + end_group(child)


def end_group(child: subprocess.Popen) -> float:
    """Ends what is left of an ended child's group and returns the CPU time of those that were adopted."""
    _kill_group(child.pid)
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


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


def _kill_group(group: int) -> None:
    _signal_group(group, signal.SIGKILL)


def _end_all() -> None:
    for group in list(_groups):
        _kill_group(group)


def _on_signal(number, _frame) -> None:
    _end_all()
    raise SystemExit(128 + number)


atexit.register(_end_all)
for _signal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(_signal, _on_signal)
