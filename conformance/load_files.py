"""Data files of the load cases."""

from typing import Any

RATE_SERIES = {"points": [{"time_s": 0, "qps": 4}, {"time_s": 2, "qps": 20}, {"time_s": 4, "qps": 4}]}

# Uneven gaps, two at the same time, not starting at zero and not in order.
SCHEDULE = [
    {"timestamp": timestamp, "text": f"due at {timestamp}, number {number}", "output_length": 8}
    for number, timestamp in enumerate((1000, 1250, 1300, 2500, 1900, 1900, 3100, 2200, 3500, 3500, 3800, 4000))
]

MULTI_TURN = [
    {"session_id": "long", "turns": [{"text": "l0"}, {"text": "l1", "delay": 300}, {"text": "l2", "delay": 100, "output_length": 9}]},
    {"session_id": "instructed", "turns": [{"role": "system", "text": "You are terse."}, {"text": "i1"}, {"text": "i2"}]},
    {"session_id": "single", "turns": [{"text": "s0"}]},
    {"session_id": "batch", "turns": [{"texts": ["b0 left", "b0 right"]}, {"text": "b1"}]},
    {"session_id": "extra", "turns": [{"text": "e0"}, {"text": "e1", "extra": {"temperature": 0}}]},
    {"session_id": "paused", "turns": [{"text": f"p{turn}", "delay": 150 * turn} for turn in range(4)]},
]


def _turn(text: str, **more: Any) -> dict:
    return {"messages": [{"role": "user", "content": text}], "max_tokens": 6, **more}


def _session(name: str, *turns: dict, **more: Any) -> dict:
    return {"session_id": name, **more, "turns": list(turns)}


FORKS = [
    _session(
        "root",
        {"messages": [{"role": "system", "content": "You plan."}, {"role": "user", "content": "root t0"}], "max_tokens": 6},
        _turn("root t1", forks=[{"child": "side", "background": True}]),
        _turn("root t2", forks=["tail1", "tail2"]),
    ),
    _session("side", _turn("side t0"), _turn("side t1")),
    _session("tail1", _turn("tail1 t0"), _turn("tail1 t1")),
    _session("tail2", _turn("tail2 t0")),
]

JOINS = [
    _session(
        "root",
        _turn("root t0", spawns=["work1", "work2"]),
        _turn("root t1 (joined)"),
        _turn("root t2", spawns=[{"children": ["work3"], "join_at": 4}]),
        _turn("root t3 (beside work3)"),
        _turn("root t4 (joined)", spawns=["left behind"]),
    ),
    _session("work1", _turn("work1 t0"), _turn("work1 t1", delay=100)),
    _session("work2", _turn("work2 t0")),
    _session("work3", _turn("work3 t0")),
    _session("left behind", _turn("left behind t0")),
    _session("early", _turn("early t0")),
    _session("second root", _turn("second t0", spawns=["work4"]), _turn("second t1"), pre_session_spawns=["early"]),
    _session("work4", _turn("work4 t0")),
]

ORCHESTRATOR = [
    {
        "session_id": "spine",
        "orchestrator": True,
        "rounds": [{"spawns": ["first", "second"]}, {"spawns": ["third"], "think_time_ms": 300}],
        "think_time_ms": 100,
    },
    _session("first", _turn("first t0")),
    _session("second", _turn("second t0"), _turn("second t1")),
    _session("third", _turn("third t0")),
]
