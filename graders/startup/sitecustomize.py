"""Python imports this module at its start if the folder is in PYTHONPATH: all processes of AIPerf get the empty modules."""

import pathlib
import sys

FOLDER = str(pathlib.Path(__file__).resolve().parent.parent)
sys.path.append(FOLDER)
import empty_modules  # noqa: E402

sys.path.remove(FOLDER)
empty_modules.install()
