"""`transformers serve`: streams without an end mark, audio, no metrics."""

from pathlib import Path

import cache
import loads
from models import WORDS, Model
from server import Server
from trial import Trial

PACKAGES = cache.Packages(
    "transformers",
    (
        "transformers[serving]==5.22.2",
        "torch==2.13.0",
        "torchvision==0.28.0",
        "accelerate",
        "python-multipart",
        "librosa",
        "pillow",
    ),
    compile=True,
)
WHISPER = Model("tiny-whisper", "tiny_whisper.py", packages=PACKAGES)
# A model is called by its path. It knows the older name of the limit only, and would run on without one.
NAME = str(WORDS.folder)
LIMIT = "--use-legacy-max-tokens"


def _command(port: int, _folder: Path) -> list[str]:
    argv = [PACKAGES.program("transformers"), "serve", NAME, "--host", "127.0.0.1", "--port", str(port)]
    return [*argv, "--device", "cpu", "--dtype", "float32"]


TRANSCRIPTION = Trial(
    "audio_transcription",
    ("--endpoint-type", "audio_transcription", "--audio-length-mean", "1"),
    str(WHISPER.folder),
    requests=6,
    # It loads the model with the first request, and others that come meanwhile hang.
    concurrency=1,
)
TEXT = Server(
    "transformers",
    "transformers serve",
    PACKAGES,
    "transformers",
    _command,
    (
        loads.chat(NAME, LIMIT),
        loads.chat_whole(NAME, LIMIT),
        loads.completions(NAME),
        loads.responses(NAME),
        TRANSCRIPTION,
    ),
    (WORDS, WHISPER),
)
SERVERS = (TEXT,)
