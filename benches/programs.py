"""The three programs under measurement: found, or built and installed outside the repository."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import measured
import reference  # of conformance/: installs AIPerf and gives it its vocabulary

REPOSITORY = Path(__file__).resolve().parent.parent
OHA_VERSION = "1.16.0"
INSTALL_LIMIT_S = 1800
# Neither server metrics nor GPU telemetry: the simulator would be asked for both beside the load.
COMMON = (
    "--model", "sim-model",
    "--random-seed", "7",
    "--ui", "none",
    "--no-server-metrics",
    "--no-gpu-telemetry",
    "--endpoint-type", "chat",
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    name: str
    path: Path
    version: str
    environment: dict[str, str] = field(default_factory=dict)
    # A command that runs it, for example on a pseudo terminal.
    through: tuple[str, ...] = ()

    def run(self, argv: list[str], folder: Path, limit_s: float, cores: set[int] | None = None) -> measured.Measured:
        env = {**os.environ, "NO_COLOR": "1", **self.environment}
        return measured.run([*self.through, str(self.path), *argv], folder, env, limit_s, cores)

    def profile(
        self,
        url: str,
        flags: str,
        folder: Path,
        limit_s: float,
        tokenizer: str = "builtin",
        cores: set[int] | None = None,
    ) -> measured.Measured:
        """`profile` of ours or of the reference; the files go to `folder`/artifacts."""
        scrapes = "--server-metrics" in flags.split()
        common = [word for word in COMMON if not (scrapes and word == "--no-server-metrics")]
        if "--ui" in flags.split():
            place = common.index("--ui")
            del common[place : place + 2]
        common = ["profile", *common, "--tokenizer", tokenizer, "--url", url]
        return self.run([*common, *flags.split(), "--artifact-dir", str(folder / "artifacts")], folder, limit_s, cores)

    def has_option(self, option: str) -> bool:
        """Whether `profile` knows an option; older programs do not know all of them."""
        help_text = subprocess.run([str(self.path), "profile", "--help"], capture_output=True, text=True, timeout=30)
        return any(word.split("[")[0].split("=")[0].rstrip(",") == option for word in help_text.stdout.split())


def ours(given: str | None, name: str = "aiperf") -> Program:
    if given:
        path = Path(given).absolute()
    else:
        subprocess.run(["cargo", "build", "--profile", "dist", "--locked", "-p", "aiperf"], cwd=REPOSITORY, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
        path = (REPOSITORY / target / "dist" / "aiperf").absolute()
    return Program(name, path, _version(path))


def bare_client(given: str | None, may_build: bool) -> Path | None:
    """The client that does no more than the kernel requires; `None` if it is neither given nor may be built."""
    if given:
        return Path(given).absolute()
    if not may_build:
        return None
    build = ["cargo", "build", "--profile", "dist", "--locked", "-p", "aiperf-socket", "--example", "bare_client"]
    subprocess.run(build, cwd=REPOSITORY, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
    return (REPOSITORY / target / "dist" / "examples" / "bare_client").absolute()


def oha(given: str | None) -> Program:
    if given:
        path = Path(given).absolute()
    else:
        root = cache_folder() / f"oha-{OHA_VERSION}"
        path = root / "bin" / "oha"
        if not path.exists():
            print(f"installing oha {OHA_VERSION} into {root} (once)", flush=True)
            install = ["cargo", "install", "oha", "--version", OHA_VERSION, "--locked"]
            # Built beside what it installs, so that it does not fill the target folder of this repository.
            env = {**os.environ, "CARGO_TARGET_DIR": str(root / "target")}
            subprocess.run([*install, "--root", str(root)], env=env, check=True, timeout=INSTALL_LIMIT_S)
    return Program("oha", path, _version(path))


def theirs(given: str | None, work: Path) -> Program:
    path = reference.program(given)
    vocabulary = reference.vocabulary_cache(REPOSITORY, work / "vocabulary")
    environment = {"TIKTOKEN_CACHE_DIR": str(vocabulary), "HF_HUB_OFFLINE": "1"}
    return Program("reference", path, reference.version_of(path), environment)


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aiperf-benches"


def _version(path: Path) -> str:
    answer = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=30, check=True)
    return answer.stdout.strip().split()[-1]
