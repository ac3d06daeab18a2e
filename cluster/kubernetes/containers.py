"""Containers as local processes: their network, how they are started, and what is seen of them while they run."""

import itertools
import re
import shutil
import subprocess
from pathlib import Path

BRIDGE = "aiperf-test0"
HOST = "10.99.0.1"


def sh(*words):
    subprocess.run(words, check=True, capture_output=True)


class Network:
    """A bridge, and a network namespace for each pod."""

    def __init__(self):
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)
        sh("ip", "link", "add", BRIDGE, "type", "bridge")
        sh("ip", "addr", "add", f"{HOST}/16", "dev", BRIDGE)
        sh("ip", "link", "set", BRIDGE, "up")
        self.free = itertools.count(10)

    def join(self, name):
        number = next(self.free)
        address, space, outside = f"10.99.{number // 250}.{number % 250 + 2}", f"aiperf-{number}", f"aiperf-v{number}"
        subprocess.run(["ip", "netns", "del", space], capture_output=True)
        sh("ip", "netns", "add", space)
        sh("ip", "link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", space)
        sh("ip", "link", "set", outside, "master", BRIDGE, "up")
        inside = ["ip", "netns", "exec", space]
        sh(*inside, "ip", "addr", "add", f"{address}/16", "dev", "eth0")
        sh(*inside, "ip", "link", "set", "eth0", "up")
        sh(*inside, "ip", "link", "set", "lo", "up")
        Path(f"/etc/netns/{space}").mkdir(parents=True, exist_ok=True)
        Path(f"/etc/netns/{space}/hosts").write_text("127.0.0.1 localhost\n")
        return space, address

    def leave(self, space):
        subprocess.run(["ip", "netns", "del", space], capture_output=True)
        shutil.rmtree(f"/etc/netns/{space}", ignore_errors=True)

    def close(self):
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)


class Pod:
    """A running container."""

    def __init__(self, name, process, space, address, words, environment):
        self.name, self.process, self.space, self.address = name, process, space, address
        # How to start it again.
        self.words, self.environment = words, environment


class Measured:
    """What was seen of a container while it ran."""

    def __init__(self, requested):
        # Bytes of memory that it asked for, and the most that it had.
        self.requested, self.peak = requested, 0
        self.user, self.has_read_only_root, self.arguments = None, None, ""

    def look(self, process):
        place = Path(f"/proc/{process.pid}")
        try:
            status = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines())
            if status["Name"].strip() != "program":
                return
            self.peak = max(self.peak, int(status["VmHWM"].split()[0]) * 1024)
            self.user = int(status["Uid"].split()[0])
            roots = [line.split() for line in (place / "mountinfo").read_text().splitlines() if line.split()[4] == "/"]
            self.has_read_only_root = roots[-1][5].split(",")[0] == "ro"
            self.arguments = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, KeyError, ValueError, IndexError):
            # It has just ended.
            pass


def bytes_of(quantity):
    number, unit = re.fullmatch(r"(\d+)(Ki|Mi|Gi)?", quantity).groups()
    return int(number) * {None: 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}[unit]
