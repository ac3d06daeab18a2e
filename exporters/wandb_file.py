"""Reads the record file of an offline run with the messages of the real client."""

import json
import struct
import zlib

from google.protobuf.json_format import MessageToDict
from wandb.proto import wandb_internal_pb2

BLOCK = 32 * 1024


def records(path):
    """The records in order. Fails where a checksum or a length is wrong."""
    data = path.read_bytes()
    if data[:7] != b":W&B\xe1\xbe\x00":
        raise AssertionError("the header of the file is wrong")
    at, whole = 7, b""
    while at < len(data):
        room = BLOCK - at % BLOCK
        if room < 7:
            at += room
            continue
        checksum, length, kind = struct.unpack("<IHB", data[at : at + 7])
        piece = data[at + 7 : at + 7 + length]
        if zlib.crc32(bytes([kind]) + piece) != checksum:
            raise AssertionError(f"wrong checksum at byte {at}")
        at += 7 + length
        whole += piece
        if kind in (1, 4):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            if unknown(record):
                raise AssertionError(f"record {record.num} has fields that the client does not know")
            yield MessageToDict(record, preserving_proto_field_name=True)
            whole = b""


def unknown(message):
    """Whether the client's messages have no name for a part of it."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    return len(UnknownFieldSet(message)) > 0


def items(record, part, of):
    """The values of a configuration, a summary or a row, by their names."""
    found = {}
    for item in record[part].get(of, []):
        found["/".join(item.get("nested_key", [])) or item["key"]] = json.loads(item["value_json"])
    return found
