"""Decodes a trace with Perfetto's own message types and prints what is in it as JSON: tracks, slices, counters."""

import json
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

trace = Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
tracks = {}
slices, open_slices, values = [], {}, {}
for packet in trace.packet:
    if packet.HasField("track_descriptor"):
        tracks[packet.track_descriptor.uuid] = packet.track_descriptor
    if not packet.HasField("track_event"):
        continue
    event = packet.track_event
    if event.type == TrackEvent.TYPE_COUNTER:
        values.setdefault(tracks[event.track_uuid].name, []).append(event.double_counter_value)
    elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
        open_slices.setdefault(event.track_uuid, []).append((event.name, packet.timestamp))
    elif event.type == TrackEvent.TYPE_SLICE_END:
        name, start = open_slices[event.track_uuid].pop()
        slices.append({"name": name, "track": tracks[event.track_uuid].name, "start": start, "end": packet.timestamp})
print(json.dumps({"unended": sum(map(len, open_slices.values())), "slices": slices, "counters": values}))
