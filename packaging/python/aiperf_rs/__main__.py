"""`python -m aiperf_rs ...` is `aiperf ...`, whichever package owns the command `aiperf`."""

from .commands import aiperf

aiperf()
