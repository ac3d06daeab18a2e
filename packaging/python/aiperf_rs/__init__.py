"""Read the artifact folders of aiperf and of NVIDIA AIPerf.

    import aiperf_rs

    artifacts = aiperf_rs.load("artifacts/my-run")
    artifacts.metrics()                  # one row per metric of each run
    artifacts.records(frame="polars")    # one row per request
    artifacts.runs[0].metric("time_to_first_token").p99

Frames need pandas or polars; `frame="rows"` gives lists of dictionaries and needs neither.
"""

from __future__ import annotations

from .artifacts import Artifacts, ArtifactError, Metric, Run, load
from .commands import ShadowedCommand, shadowed_command

__all__ = ["ArtifactError", "Artifacts", "Metric", "Run", "ShadowedCommand", "load", "shadowed_command"]


def _warn_if_shadowed() -> None:
    found = shadowed_command()
    if found is not None:
        import warnings

        warnings.warn(str(found), stacklevel=3)


_warn_if_shadowed()
